import pg from 'pg'
import { PlimsollError } from '../../kernel/errors.ts'
import { checkServerUrl } from '../../sources/server-url.ts'
import { destinationError } from './errors.ts'
import { socketOf, watchQuiet } from './quiet-watch.ts'

const POOL_SIZE = 10
const CONNECT_WAIT_MS = 30_000
const IDLE_MS = 10_000
/** A network that is gone is noticed so long after the last byte, and ten seconds. */
const KEEP_ALIVE_DELAY_MS = 10_000
/** How long servers may take to take leave. */
const END_MAX_MS = 2_000
/** A merge of one slice, or the index after a first load. */
export const STATEMENT_MAX_MS = 3_600_000
/** How long a statement waits for a lock of somebody else's; the wait for a lost commit has its own limit. */
const LOCK_WAIT_MS = 30_000
/** A landing whose process stands still gives the claim row free after this. */
const IDLE_IN_TRANSACTION_MS = 60_000

/** Sizes keep stages in memory; the rest makes text exact and one notation, whatever the server's defaults. */
const SETTINGS: readonly (readonly [string, string])[] = [
  ['TimeZone', 'UTC'],
  ['DateStyle', 'ISO, YMD'],
  ['IntervalStyle', 'postgres'],
  ['client_encoding', 'UTF8'],
  ['extra_float_digits', '3'],
  ['bytea_output', 'hex'],
  ['array_nulls', 'on'],
  ['xmloption', 'content'],
  ['standard_conforming_strings', 'on'],
  ['statement_timeout', `${STATEMENT_MAX_MS}`],
  ['lock_timeout', `${LOCK_WAIT_MS}`],
  ['idle_in_transaction_session_timeout', `${IDLE_IN_TRANSACTION_MS}`],
  ['tcp_keepalives_idle', '30'],
  ['tcp_keepalives_interval', '10'],
  ['tcp_keepalives_count', '3'],
  ['temp_buffers', '32MB'],
  ['work_mem', '64MB'],
]

export type Session = pg.PoolClient

/** Connections to one database, each set up alike. */
export interface Sessions {
  readonly versionNumber: () => number
  /** Runs `work` on a connection of its own; a connection that failed is not used again. */
  use<T>(work: (session: Session) => Promise<T>): Promise<T>
  /** The same inside one transaction: committed when `work` returns, rolled back when it throws. */
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** A small pool; nothing connects before the first use. Errors of the driver come out as PlimsollError. */
export function openSessions(url: string): Sessions {
  checkUrl(url)
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'plimsoll',
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_WAIT_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    allowExitOnIdle: true,
  })
  const setUp = new WeakSet<object>()
  let version = 0
  // A connection that breaks fails its query; the event alone must not end the process.
  pool.on('error', () => {})
  const clients = new Set<pg.PoolClient>()
  pool.on('connect', (client) => {
    clients.add(client)
    client.on('error', () => {})
  })
  pool.on('remove', (client) => clients.delete(client))

  const use = async <T>(work: (session: Session) => Promise<T>): Promise<T> => {
    const session = await pool.connect().catch((error: unknown) => {
      throw destinationError(error)
    })
    let broken = false
    const stopWatching = watchQuiet(session, url)
    try {
      if (!setUp.has(session)) {
        version = await prepareSession(session)
        setUp.add(session)
      }
      return await work(session)
    } catch (error) {
      broken = true
      throw destinationError(error)
    } finally {
      stopWatching()
      session.release(broken)
    }
  }

  const transaction = <T>(work: (session: Session) => Promise<T>): Promise<T> =>
    use(async (session) => {
      await session.query('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE')
      try {
        const result = await work(session)
        await session.query('COMMIT')
        return result
      } catch (error) {
        await rollBack(session)
        throw error
      }
    })

  const endAll = async (): Promise<void> => {
    const impatience = setTimeout(() => {
      for (const client of clients) socketOf(client).destroy()
    }, END_MAX_MS)
    await pool.end()
    clearTimeout(impatience)
  }
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= endAll()
    return closing
  }
  return { versionNumber: () => version, use, transaction, close }
}

/** Ends the transaction as well as the connection allows; a dead one ends by itself. */
export async function rollBack(session: Session): Promise<void> {
  await session.query('ROLLBACK').catch(() => {})
}

async function prepareSession(session: Session): Promise<number> {
  const { rows } = await session.query(
    `SELECT set_config(s->>0, s->>1, false), current_setting('server_version_num')::int AS version
     FROM jsonb_array_elements($1) s`,
    [JSON.stringify(SETTINGS)],
  )
  // A server set to answer before the commit is on disk would make receipts lie.
  await session.query(
    `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`,
  )
  const version = Number(rows[0].version)
  // From 14 on a backend notices in the middle of a statement that we are gone. Not on every platform.
  if (version >= 140_000) await session.query("SET client_connection_check_interval = '10s'").catch(() => {})
  return version
}

/** The driver reads the URL at the first connection only, and says nothing of use then. */
function checkUrl(url: string): void {
  checkServerUrl(url)
  try {
    new pg.Client(url)
  } catch {
    throw new PlimsollError('CONFIG_INVALID', 'the URL of the PostgreSQL destination cannot be read', {
      hint: 'postgres://user:password@host:5432/database; percent-encode special characters in the password.',
    })
  }
}
