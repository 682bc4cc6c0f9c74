import type { FencePolicy, OrderDeclaration, Source, TableRef } from '../sources/source.ts'

/** One row of the suite's table. */
export interface SuiteRow {
  readonly id: number
  /** The position as µs since 1970 (UTC), always a whole second; null for none. */
  readonly at: bigint | null
  readonly payload: string | null
}

/** A transaction that has inserted one row and is not committed yet. */
export interface SuiteWriter {
  commit(): Promise<void>
  rollback(): Promise<void>
}

/**
 * A fresh database of one test with the suite's table in it, empty: columns `id` (key, integer), the position column
 * (may be NULL, has an index, default is the database's clock), `payload` (text, may be NULL), in this order.
 */
export interface SuiteDatabase {
  readonly source: Source
  readonly table: TableRef
  /** Declares the position column, `stampedBy: 'database'` and a grain of at most a second. */
  readonly declared: OrderDeclaration
  readonly policy?: Partial<FencePolicy>
  /** Inserts rows, or replaces those of the same id, in one committed transaction. Works while a reader is open. */
  put(rows: readonly SuiteRow[]): Promise<void>
  remove(ids: readonly number[]): Promise<void>
  /** Begins a transaction and inserts the row in it, stamped now by the database's clock. */
  openWriter(id: number): Promise<SuiteWriter>
  /** Adds a column. Tests that need it are left out when it is absent. */
  addColumn?(): Promise<void>
  /** Puts a row into a lane that no instant leads to: `malformed`, `infinity`, `bc` and so on. */
  readonly putInLane?: Readonly<
    Partial<Record<'infinity' | 'neg_infinity' | 'zero' | 'bc' | 'malformed', (id: number) => Promise<void>>>
  >
  /** Lets time pass: the real one unless the database has a clock of its own. */
  pause?(ms: number): Promise<void>
  close(): Promise<void>
}

/** What a connector's author hands to the suite. */
export interface SourceSetup {
  create(testName: string): Promise<SuiteDatabase>
}
