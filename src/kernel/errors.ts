/** What kind of thing went wrong; decides the exit code (DESIGN.md, Errors). */
export type ErrorKind = 'usage' | 'source' | 'destination' | 'busy' | 'data' | 'internal'
export type RetryClass = 'automatic' | 'manual' | 'never'

/** The one exhaustive table from code to kind and retry class. */
export const ERROR_TABLE = {
  APPEND_WITH_OVERLAP: ['usage', 'never'],
  CATALOG_UNAVAILABLE: ['usage', 'manual'],
  CONFIG_INVALID: ['usage', 'never'],
  CONNECTOR_MISSING: ['usage', 'never'],
  DESTINATION_BUSY: ['busy', 'automatic'],
  DESTINATION_DISK_FULL: ['destination', 'manual'],
  DESTINATION_FAILED: ['destination', 'automatic'],
  DESTINATION_NOT_OURS: ['destination', 'manual'],
  DESTINATION_REFUSED_ROW: ['destination', 'manual'],
  DESTINATION_TABLE_MISMATCH: ['destination', 'manual'],
  DESTINATION_UNAVAILABLE: ['destination', 'automatic'],
  DESTINATION_UNREADABLE: ['destination', 'manual'],
  DESTINATION_WENT_BACK: ['destination', 'manual'],
  FENCE_ON_STANDBY: ['source', 'manual'],
  KEY_MISSING: ['usage', 'never'],
  KEY_NOT_UNIQUE: ['data', 'manual'],
  KEY_NULL: ['data', 'manual'],
  LEASE_FENCED_OUT: ['busy', 'never'],
  NOT_SUPPORTED: ['usage', 'never'],
  PLAN_TOO_EXPENSIVE: ['source', 'manual'],
  POSITION_AMBIGUOUS: ['usage', 'never'],
  POSITION_MISSING: ['usage', 'never'],
  POSITION_REFUSED: ['usage', 'never'],
  POSITION_TYPE_CHANGED: ['source', 'manual'],
  REHEARSAL_REFUSED: ['usage', 'never'],
  REPLICA_BEHIND: ['source', 'automatic'],
  ROWS_HIDDEN_BY_POLICY: ['source', 'manual'],
  SCHEMA_CHANGED: ['source', 'manual'],
  SOURCE_AUTH_FAILED: ['source', 'manual'],
  DESTINATION_AUTH_FAILED: ['destination', 'manual'],
  SOURCE_CHANGED: ['source', 'manual'],
  SOURCE_FAILED: ['source', 'automatic'],
  SOURCE_HIDDEN_SESSIONS: ['source', 'manual'],
  SOURCE_QUERY_TOO_LONG: ['source', 'automatic'],
  SOURCE_SNAPSHOT_LOST: ['source', 'automatic'],
  SOURCE_UNAVAILABLE: ['source', 'automatic'],
  SOURCE_WENT_BACK: ['source', 'manual'],
  STATE_INVALID: ['usage', 'never'],
  STOPPED_BY_DOCTOR: ['data', 'manual'],
  STREAM_BUSY: ['busy', 'manual'],
  TABLE_NOT_FOUND: ['usage', 'never'],
  TYPE_NOT_SUPPORTED: ['usage', 'never'],
  USAGE: ['usage', 'never'],
  VALUE_NOT_REPRESENTABLE: ['data', 'manual'],
} as const satisfies Record<string, readonly [ErrorKind, RetryClass]>

export type ErrorCode = keyof typeof ERROR_TABLE

export interface ErrorDetails {
  /** What the reader should do now. */
  readonly hint?: string
  /** Facts, redacted: never a password, never a row's content beyond the key and the refused value. */
  readonly context?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/** Every expected failure of the program. `code` is stable; `kind` and `retry` follow from it. */
export class PlimsollError extends Error {
  override readonly name = 'PlimsollError'
  readonly code: ErrorCode
  readonly kind: ErrorKind
  readonly retry: RetryClass
  readonly hint: string | undefined
  readonly context: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    const [kind, retry] = ERROR_TABLE[code]
    this.kind = kind
    this.retry = retry
    this.hint = details.hint
    this.context = details.context ?? {}
  }
}
