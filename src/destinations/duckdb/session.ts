import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import { PlimsollError } from '../../kernel/errors.ts'
import { translate } from './engine-errors.ts'
import { withQuerySlot } from './query-slots.ts'

export type Row = readonly DuckDBValue[]

/** One connection. Every statement waits for a query slot and fails with a PlimsollError. */
export class Session {
  readonly #connection: DuckDBConnection
  readonly #onFatal: () => void
  readonly #maxMs: number | undefined

  constructor(connection: DuckDBConnection, onFatal: () => void, maxMs?: number) {
    this.#connection = connection
    this.#onFatal = onFatal
    this.#maxMs = maxMs
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

  /** The same session whose statements end with DESTINATION_FAILED when one runs longer than this (spec A5, F9). */
  within(maxMs: number): Session {
    return new Session(this.#connection, this.#onFatal, maxMs)
  }

  close(): void {
    this.#connection.closeSync()
  }

  async #bounded<T>(query: () => Promise<T>): Promise<T> {
    const maxMs = this.#maxMs
    if (maxMs === undefined) return query()
    let isCut = false
    const timer = setTimeout(() => {
      isCut = true
      this.#connection.interrupt()
    }, maxMs)
    try {
      return await query()
    } catch (error) {
      if (!isCut) throw error
      throw new PlimsollError('DESTINATION_FAILED', `a query of a check ran longer than ${maxMs} ms`, {
        hint: 'Raise checkQueryMax, or look at a window.',
        cause: error,
      })
    } finally {
      clearTimeout(timer)
    }
  }

  #guard<T>(query: () => Promise<T>): Promise<T> {
    return withQuerySlot(() => this.#bounded(query)).catch((error: unknown) => {
      if (error instanceof Error && error.message.startsWith('FATAL')) this.#onFatal()
      throw translate(error)
    })
  }
}
