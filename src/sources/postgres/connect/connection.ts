import pg from 'pg'
import { type CopyToStreamQuery, to as copyTo } from 'pg-copy-streams'
import { PlimsollError } from '../../../kernel/errors.ts'
import type { Address } from './address.ts'
import { explainError } from './explain-error.ts'
import { CATALOG_TIMEOUT_MS, sessionStatements } from './session.ts'

/** Every value is the server's text, or null. */
export type Row = Readonly<Record<string, string | null>>

const OLDEST_VERSION = 120_000
/** The server ends a long query first; this is for a server that no longer answers. */
export const ANSWER_GRACE_MS = 15_000
const END_TIMEOUT_MS = 2_000

/** One session at the server. Queries are sent one after another. */
export class Connection {
  readonly place: string
  readonly #client: pg.Client
  #queue: Promise<unknown> = Promise.resolve()
  #usable = true
  #facts = { backendPid: 0, versionNumber: 0, version: '', systemId: undefined as string | undefined }

  private constructor(client: pg.Client, place: string) {
    this.#client = client
    this.place = place
    client.on('error', () => this.#lose())
    client.on('end', () => this.#lose())
  }

  /** Opens and prepares a session. Throws SOURCE_UNAVAILABLE, SOURCE_AUTH_FAILED, SOURCE_FAILED for old servers. */
  static async open(address: Address): Promise<Connection> {
    const connection = await connect(address, (client) => new Connection(client, address.place))
    try {
      await connection.#prepare()
      return connection
    } catch (error) {
      connection.destroy()
      throw error
    }
  }

  get usable(): boolean {
    return this.#usable
  }

  get backendPid(): number {
    return this.#facts.backendPid
  }

  /** `server_version_num`, e.g. 150004. */
  get versionNumber(): number {
    return this.#facts.versionNumber
  }

  get version(): string {
    return this.#facts.version
  }

  /** Undefined where this role may not ask. */
  get systemId(): string | undefined {
    return this.#facts.systemId
  }

  /** Runs one or more statements; the rows are those of the last one. */
  async rows(
    sql: string,
    values: readonly (string | null)[] = [],
    maxMs: number = CATALOG_TIMEOUT_MS,
  ): Promise<Row[]> {
    const previous = this.#queue
    const answer = (async () => {
      await previous.catch(() => {})
      return this.#ask(sql, values, maxMs + ANSWER_GRACE_MS)
    })()
    this.#queue = answer
    return answer
  }

  async #ask(sql: string, values: readonly (string | null)[], giveUpMs: number): Promise<Row[]> {
    try {
      const config = { text: sql, values: [...values], query_timeout: giveUpMs }
      const answer = (await this.#client.query(config)) as pg.QueryResult<Row> | pg.QueryResult<Row>[]
      return Array.isArray(answer) ? (answer.at(-1)?.rows ?? []) : answer.rows
    } catch (error) {
      if (error instanceof Error && error.message === 'Query read timeout') this.destroy()
      throw explainError(error, this.place)
    }
  }

  /** Starts a COPY … TO STDOUT. Nothing else may be asked until the server is ready for the next query. */
  copy(sql: string): CopyToStreamQuery {
    return this.#client.query(copyTo(sql))
  }

  /** Closes the socket without asking the server. */
  destroy(): void {
    this.#usable = false
    const { stream } = (this.#client as unknown as { connection: { stream: { destroy(): void } } }).connection
    stream.destroy()
  }

  async end(): Promise<void> {
    if (!this.#usable) return this.destroy()
    this.#usable = false
    const impatience = setTimeout(() => this.destroy(), END_TIMEOUT_MS)
    await this.#client.end().catch(() => {})
    clearTimeout(impatience)
  }

  #lose(): void {
    this.#usable = false
  }

  async #prepare(): Promise<void> {
    const facts = `${sessionStatements()};
      SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS version,
             pg_backend_pid() AS pid,
             has_function_privilege('pg_catalog.pg_control_system()', 'EXECUTE') AS may_ask`
    const [row] = await this.rows(facts)
    const versionNumber = Number(row?.number)
    if (versionNumber < OLDEST_VERSION) {
      throw new PlimsollError('SOURCE_FAILED', `${this.place}: PostgreSQL ${row?.version} is too old`, {
        hint: 'Plimsoll reads PostgreSQL 12 and later.',
      })
    }
    const [system] =
      row?.may_ask === 't' ? await this.rows('SELECT system_identifier AS id FROM pg_control_system()') : []
    this.#facts = {
      backendPid: Number(row?.pid),
      versionNumber,
      version: (row?.version ?? '').split(' ')[0] ?? '',
      systemId: system?.id ?? undefined,
    }
  }
}

async function connect<T>(address: Address, wrap: (client: pg.Client) => T): Promise<T> {
  let failure: unknown
  for (const config of address.attempts) {
    let client: pg.Client | undefined
    try {
      client = new pg.Client(config)
      const wrapped = wrap(client)
      await client.connect()
      return wrapped
    } catch (error) {
      failure = error
      await client?.end().catch(() => {})
      if (!mayTryWithoutEncryption(error)) break
    }
  }
  throw explainError(failure, address.place, 'connecting')
}

/** As libpq's `prefer`: the server offers no encryption, or pg_hba.conf refuses it. */
function mayTryWithoutEncryption(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string }
  return code === '28000' || /does not support SSL/.test(message ?? '')
}
