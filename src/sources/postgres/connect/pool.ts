import { PlimsollError } from '../../../kernel/errors.ts'
import { type Address, parseAddress } from './address.ts'
import { Connection, type Row } from './connection.ts'

/** Readers give their connection back here; more than this are closed. */
const MAX_IDLE = 4

/**
 * The connections to one server: one for questions about it, and one for each open reader, kept for the next reader.
 * Every new connection must reach the same system as the first.
 */
export class Pool {
  readonly #address: Address
  readonly #idle: Connection[] = []
  readonly #all = new Set<Connection>()
  #control: Promise<Connection> | undefined
  #systemId: string | undefined
  #closed = false

  constructor(url: string) {
    this.#address = parseAddress(url)
  }

  get place(): string {
    return this.#address.place
  }

  /** Asks on the connection for questions, in autocommit. Never opens a transaction there. */
  async ask(sql: string, values: readonly (string | null)[] = [], maxMs?: number): Promise<Row[]> {
    return (await this.control()).rows(sql, values, maxMs)
  }

  /** The connection for questions, opened anew when it was lost. */
  async control(): Promise<Connection> {
    this.#control ??= this.#open()
    const current = this.#control
    const connection = await current.catch((error: unknown) => {
      if (this.#control === current) this.#control = undefined
      throw error
    })
    if (connection.usable) return connection
    this.#all.delete(connection)
    if (this.#control === current) this.#control = undefined
    return this.control()
  }

  /** A connection for the caller alone, until it is given back. */
  async lend(): Promise<Connection> {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (idle.usable) return idle
      this.#all.delete(idle)
    }
    return this.#open()
  }

  /** Takes a connection back that is outside any transaction; a lost one is dropped. */
  async giveBack(connection: Connection): Promise<void> {
    if (connection.usable && !this.#closed && this.#idle.length < MAX_IDLE) {
      this.#idle.push(connection)
      return
    }
    this.#all.delete(connection)
    await connection.end()
  }

  /** The server's process ids of our sessions: they only read, so no fence waits for them (spec E24, E25). */
  backendPids(): readonly number[] {
    return [...this.#all].filter((connection) => connection.usable).map(({ backendPid }) => backendPid)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#control?.catch(() => {})
    await Promise.all([...this.#all].map((connection) => connection.end()))
    this.#all.clear()
  }

  async #open(): Promise<Connection> {
    const connection = await Connection.open(this.#address)
    this.#systemId ??= connection.systemId
    if (connection.systemId !== this.#systemId) {
      await connection.end()
      throw new PlimsollError(
        'SOURCE_CHANGED',
        `${this.place}: two different servers answer at this address`,
        {
          hint: 'Connect to one server directly, not through a load balancer.',
          context: { expected: this.#systemId, found: connection.systemId },
        },
      )
    }
    this.#all.add(connection)
    return connection
  }
}
