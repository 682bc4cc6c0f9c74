/** What a destination may do with a value besides holding it. */
export const REFUSED = 'refused'

/** Majors of the server a value comes from and of the one it goes to. */
export interface Majors {
  readonly from: number
  readonly to: number
}

export interface ValueCase {
  readonly type: string
  readonly literal: string
  /** DuckDB's type, a blank, and the value as `readDuckdb` tells it; or REFUSED. */
  readonly duckdb: string
  /** The text a refusal by DuckDB names, where the value travels otherwise than it prints. */
  readonly wireText?: string
  /** PostgreSQL's type at the target, and the value's text, where they are not those of the source. */
  readonly targetType?: string
  readonly targetText?: string
  /** When another PostgreSQL has no such value. */
  readonly refusedBetween?: (majors: Majors) => boolean
  /** When the other PostgreSQL itself takes the value's text for another value, also in a dump: nothing is promised then. */
  readonly misreadBetween?: (majors: Majors) => boolean
  /** Majors of the source that have the value; all when absent. */
  readonly majors?: (major: number) => boolean
}

export type More = Omit<ValueCase, 'type' | 'literal' | 'duckdb'>

/** Values of one type; `all` is true of each. */
export const of = (type: string, cases: readonly (readonly [string, string, More?])[], all: More = {}) =>
  cases.map(([literal, duckdb, more]): ValueCase => ({ type, literal, duckdb, ...all, ...more }))
