import type { Position } from '../position.ts'

/**
 * The form a value takes for a comparison, the same in every engine (spec F10, F11). `printed`: text as the source
 * prints it, landed verbatim; `json`: the same, but two texts may mean one value (F22). `numeric`: as the source prints
 * it, for numbers without a declared scale.
 */
export type CanonicalType =
  | { readonly name: CanonicalName }
  | { readonly name: 'decimal'; readonly scale: number }
  | { readonly name: 'list'; readonly of: CanonicalType }

export type CanonicalName =
  | 'integer'
  | 'numeric'
  | 'boolean'
  | 'instant'
  | 'wall_time'
  | 'date'
  | 'time'
  | 'interval'
  | 'float8'
  | 'float4'
  | 'uuid'
  | 'bit'
  | 'char'
  | 'text'
  | 'bytes'
  | 'json'
  | 'printed'

export interface ComparedColumn {
  readonly name: string
  readonly canonical: CanonicalType
}

/** What is compared, and how: data, computed once and kept with the result (spec F6). */
export interface ComparisonPlan {
  /** Key columns first, in key order, then the others in the source's order. */
  readonly columns: readonly ComparedColumn[]
  /** How many of `columns` are the key. A table without a key is compared as a bag of whole rows: all of them. */
  readonly keyCount: number
  /** The position column; always one of `columns`. */
  readonly position: string
  readonly digest: 'md5' | 'sha256'
  readonly leftOut: readonly { readonly column: string; readonly reason: string }[]
  /** SHA-256 of all the above and of the destination's engine; sums of different plans are never compared. */
  readonly hash: string
}

/** `position`: the word of key and position (spec F5); `row`: that of all compared columns (F2). */
export type WordKind = 'position' | 'row'

/** An exact sum of 60-bit words over a set of rows (spec F3). */
export interface WordSum {
  readonly rowCount: bigint
  readonly wordSum: bigint
}

/**
 * Which rows are looked at. `ordered`: with a place in the order, within half-open bounds where given, those dated in
 * the future included; `unordered`: the others (NULL, infinite, before our era, malformed); `all`: the table.
 */
export type LookScope =
  | { readonly rows: 'ordered'; readonly lower?: Position; readonly upper?: Position }
  | { readonly rows: 'unordered' }
  | { readonly rows: 'all' }
