import pg from 'pg'
import { parseAddress } from '../connect/address.ts'
import { explainError } from '../connect/explain-error.ts'

/** A session that may write; every value is the server's text. */
export interface LoadSession {
  readonly place: string
  ask(sql: string, values?: readonly unknown[]): Promise<readonly (readonly (string | null)[])[]>
  close(): Promise<void>
}

const STATEMENT_MAX_MS = 60_000
/** Writers that meet each other give up soon: a load is no queue. */
const LOCK_MAX_MS = 1_000
const SETTINGS = `SET timezone = 'UTC'; SET datestyle = 'ISO, YMD'; SET jit = off;
  SET statement_timeout = ${STATEMENT_MAX_MS}; SET lock_timeout = ${LOCK_MAX_MS}; SET deadlock_timeout = '200ms'`

/** Opens a session of a rehearsal; the rows of several statements are those of the last one. */
export async function openLoadSession(url: string): Promise<LoadSession> {
  const { place, attempts } = parseAddress(url)
  const client = await connect(attempts, place)
  await client.query(SETTINGS).catch(() => client.query(SETTINGS.replace(/; SET deadlock.*$/, '')))
  return {
    place,
    ask: async (text, values = []) => {
      const answer = await client.query({ text, values: [...values], rowMode: 'array' })
      const last = Array.isArray(answer) ? answer.at(-1) : answer
      return last?.rows ?? []
    },
    close: async () => void (await client.end().catch(() => {})),
  }
}

async function connect(attempts: readonly pg.ClientConfig[], place: string): Promise<pg.Client> {
  let failure: unknown
  for (const attempt of attempts) {
    const client = new pg.Client({ ...attempt, application_name: 'plimsoll rehearse' })
    // What is lost meanwhile is told to who asks next.
    client.on('error', () => {})
    try {
      await client.connect()
      return client
    } catch (error) {
      failure = error
      await client.end().catch(() => {})
    }
  }
  throw explainError(failure, place, 'connecting')
}
