import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import { translate } from './engine-errors.ts'
import { withQuerySlot } from './query-slots.ts'

export type Row = readonly DuckDBValue[]

/** One connection. Every statement waits for a query slot and fails with a PlimsollError. */
export class Session {
  readonly #connection: DuckDBConnection
  readonly #onFatal: () => void

  constructor(connection: DuckDBConnection, onFatal: () => void) {
    this.#connection = connection
    this.#onFatal = onFatal
  }

  /** Rows of a query. */
  rows(sql: string, values: readonly DuckDBValue[] = []): Promise<Row[]> {
    return this.#guard(async () => (await this.#connection.runAndReadAll(sql, [...values])).getRows())
  }

  /** The only row of a query that always has one. */
  async row(sql: string, values: readonly DuckDBValue[] = []): Promise<Row> {
    return (await this.rows(sql, values))[0]!
  }

  /** Runs a statement; how many rows it changed. */
  run(sql: string, values: readonly DuckDBValue[] = []): Promise<number> {
    return this.#guard(async () => Number((await this.#connection.run(sql, [...values])).rowsChanged))
  }

  /** All or nothing. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.run('BEGIN')
    try {
      const result = await work()
      await this.run('COMMIT')
      return result
    } catch (error) {
      await this.rollBack()
      throw error
    }
  }

  /** Ends the transaction, if one is still open. */
  async rollBack(): Promise<void> {
    await this.run('ROLLBACK').catch(() => {})
  }

  close(): void {
    this.#connection.closeSync()
  }

  #guard<T>(query: () => Promise<T>): Promise<T> {
    return withQuerySlot(query).catch((error: unknown) => {
      if (error instanceof Error && error.message.startsWith('FATAL')) this.#onFatal()
      throw translate(error)
    })
  }
}
