import { InvariantError } from '../../kernel/assert.ts'
import { type ErrorCode, type ErrorDetails, PlimsollError } from '../../kernel/errors.ts'

/** The fields of a PostgreSQL error that we read; drivers' and sockets' errors have some of them. */
export interface ServerError extends Error {
  readonly code?: string
  readonly detail?: string
  readonly where?: string
  readonly column?: string
  readonly table?: string
  readonly constraint?: string
}

const NO_SERVER = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ENOENT',
  'EACCES',
])

/** SQLSTATE, or its class, to our code and what to do. The longer match wins. */
const BY_STATE: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  '08': ['DESTINATION_UNAVAILABLE', 'The connection broke; the run is tried again.'],
  '22': ['VALUE_NOT_REPRESENTABLE', "`columns: { <column>: text }` takes the source's text instead."],
  '23': ['DESTINATION_REFUSED_ROW', 'Change the row at the source, or the constraint of the target table.'],
  '25006': ['DESTINATION_UNAVAILABLE', 'The server is read-only (a standby?). Name the primary.'],
  '28': ['DESTINATION_AUTH_FAILED', 'Check user, password and pg_hba.conf of the destination.'],
  '3D000': ['DESTINATION_UNAVAILABLE', 'Create the database, or correct its name.'],
  '42501': ['DESTINATION_AUTH_FAILED', 'GRANT the right to the role that Plimsoll connects as.'],
  '53': ['DESTINATION_UNAVAILABLE', 'The server is short of memory or connections; the run is tried again.'],
  '53100': ['DESTINATION_DISK_FULL', 'Make room on the disk of the destination; nothing was landed.'],
  '54': ['DESTINATION_REFUSED_ROW', 'The value is larger than the target table or its index can hold.'],
  '55P03': ['DESTINATION_FAILED', 'Another session holds a lock on the table or the claim; tried again.'],
  '57014': [
    'DESTINATION_FAILED',
    'A limit or a person ended the statement; for a check raise checkQueryMax, or look at a window.',
  ],
  '57P': ['DESTINATION_UNAVAILABLE', 'The server ended the connection; the run is tried again.'],
  P0: ['DESTINATION_REFUSED_ROW', 'A trigger of the target table raised this.'],
}

const foreign = new WeakSet<object>()

/** Marks an error of the source's, whose code would otherwise be read as one of this server's. */
export function fromSource(error: unknown): unknown {
  if (error instanceof Error) foreign.add(error)
  return error
}

/** Any failure of a statement or connection as a PlimsollError; ours pass through unchanged. */
export function destinationError(error: unknown): unknown {
  if (error instanceof PlimsollError || error instanceof InvariantError || !isServerSide(error)) return error
  const [code, hint] = classify(error)
  return new PlimsollError(code, `PostgreSQL destination: ${error.message}`, {
    hint,
    cause: error,
    context: { ...facts(error), table: error.table, column: error.column },
  })
}

/** The same error with more of what was found out about the row it is about. */
export function rowError(error: unknown, message: string, context: ErrorDetails['context']): unknown {
  if (!isServerSide(error)) return error
  const [code, hint] = classify(error)
  const column = context?.column
  return new PlimsollError(code, message, {
    hint: typeof column === 'string' ? hint.replace('<column>', column) : hint,
    cause: error,
    context: { ...facts(error), ...context },
  })
}

/** Whether the statement failed because of what a row holds. */
export function isAboutARow(error: unknown): error is ServerError {
  return (
    isServerSide(error) && ['VALUE_NOT_REPRESENTABLE', 'DESTINATION_REFUSED_ROW'].includes(classify(error)[0])
  )
}

/** Whether nobody can tell if a COMMIT sent before this error took effect. */
export function lostConnection(error: unknown): boolean {
  return isServerSide(error) && classify(error)[0] === 'DESTINATION_UNAVAILABLE'
}

/** The detail only where it names a key; elsewhere it repeats the whole row. */
function facts({ code, constraint, detail }: ServerError): Record<string, unknown> {
  const namesKey = code === '23503' || code === '23505' || code === '23P01'
  return { sqlstate: code, constraint, ...(namesKey && { detail }) }
}

function classify(error: ServerError): readonly [ErrorCode, string] {
  const state = error.code ?? ''
  if (NO_SERVER.has(state) || isDriverLoss(error)) {
    return ['DESTINATION_UNAVAILABLE', 'Check that the destination runs and can be reached from here.']
  }
  const known = [state, state.slice(0, 3), state.slice(0, 2)].find(
    (prefix) => prefix !== '' && prefix in BY_STATE,
  )
  return known === undefined
    ? ['DESTINATION_FAILED', 'See the server log of the destination.']
    : BY_STATE[known]!
}

/** The driver's own words for a lost connection carry no code. */
function isDriverLoss(error: ServerError): boolean {
  return /connection (terminated|timeout|ended|is closed)|not queryable|timeout exceeded/i.test(error.message)
}

function isServerSide(error: unknown): error is ServerError {
  if (!(error instanceof Error) || foreign.has(error)) return false
  const { code } = error as ServerError
  if (code === undefined) return isDriverLoss(error)
  return NO_SERVER.has(code) || /^[0-9A-Z]{5}$/.test(code)
}
