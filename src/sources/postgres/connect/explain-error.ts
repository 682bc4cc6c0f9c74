import { InvariantError } from '../../../kernel/assert.ts'
import { type ErrorCode, PlimsollError } from '../../../kernel/errors.ts'

/** What the driver puts on an error that came from the server. */
interface ServerError extends Error {
  readonly code?: string
  readonly detail?: string
  readonly routine?: string
}

/** While connecting, a lost connection means an unreachable server; later, a lost snapshot. */
export type Stage = 'connecting' | 'connected'

const GRANT_HINT = 'Grant what is missing: GRANT USAGE ON SCHEMA …, GRANT SELECT ON TABLE … TO the role.'
const POLICY_HINT =
  'Rows that this role may not see would count as missing. Read as a role with BYPASSRLS, or as the owner of the table.'
const AUTH_HINT = 'Check user, password and pg_hba.conf; managed servers often demand sslmode=require.'

const ENCODING_HINT =
  'A text of this table is not in the encoding of its database (SQL_ASCII checks none): correct it at the source, or copy a view that gives the column as bytea (convert_to).'

const BY_STATE: Readonly<Record<string, readonly [ErrorCode, string?]>> = {
  '28P01': ['SOURCE_AUTH_FAILED', AUTH_HINT],
  '28000': ['SOURCE_AUTH_FAILED', AUTH_HINT],
  '3D000': ['CONFIG_INVALID', 'Name an existing database in the URL.'],
  '42P01': ['TABLE_NOT_FOUND'],
  '3F000': ['TABLE_NOT_FOUND'],
  '42501': ['SOURCE_AUTH_FAILED', GRANT_HINT],
  '22021': ['VALUE_NOT_REPRESENTABLE', ENCODING_HINT],
  '22P05': ['VALUE_NOT_REPRESENTABLE', ENCODING_HINT],
  '57014': ['SOURCE_QUERY_TOO_LONG', 'Read smaller slices, raise queryMaxMs, or index the position column.'],
  '40001': ['SOURCE_SNAPSHOT_LOST'],
  '72000': ['SOURCE_SNAPSHOT_LOST'],
  '25P03': ['SOURCE_SNAPSHOT_LOST'],
  '57P01': ['SOURCE_SNAPSHOT_LOST'],
  '57P02': ['SOURCE_SNAPSHOT_LOST'],
  '57P05': ['SOURCE_SNAPSHOT_LOST'],
  '57P03': ['SOURCE_UNAVAILABLE'],
  '53300': ['SOURCE_UNAVAILABLE', 'All connection slots are taken: raise max_connections or wait.'],
  '55P03': [
    'SOURCE_FAILED',
    'Another session holds or awaits an exclusive lock on the table (ALTER, VACUUM FULL): wait for it.',
  ],
}

const NETWORK_CODES = /^(E[A-Z]+|CERT_\w+|ERR_(TLS|SSL)_\w+|DEPTH_\w+|SELF_SIGNED\w*|UNABLE_TO_\w+)$/
const LOST =
  /terminated|timeout expired|not queryable|closed|read timeout|does not support SSL|ended by user/i

/** Turns an error of the driver or the server into ours. `place` is host, port and database, without the password. */
export function explainError(error: unknown, place: string, stage: Stage = 'connected'): Error {
  if (error instanceof PlimsollError || error instanceof InvariantError) return error
  if (!(error instanceof Error)) return new PlimsollError('SOURCE_FAILED', `${place}: ${String(error)}`)
  const { code, routine } = error as ServerError
  if (routine === 'check_enable_rls')
    return failure('ROWS_HIDDEN_BY_POLICY', error, `${place}: ${error.message}`, POLICY_HINT)
  const known = code === undefined ? undefined : (BY_STATE[code] ?? BY_STATE[connectionState(code)])
  if (known) return failure(known[0], error, `${place}: ${error.message}`, known[1])
  if (/^SASL|password must be a string|pgpass/.test(error.message))
    return failure('SOURCE_AUTH_FAILED', error, `${place}: ${error.message}`, AUTH_HINT)
  if ((code !== undefined && NETWORK_CODES.test(code)) || LOST.test(error.message)) {
    if (stage === 'connected')
      return failure('SOURCE_SNAPSHOT_LOST', error, `${place}: connection lost: ${error.message}`)
    return failure(
      'SOURCE_UNAVAILABLE',
      error,
      `cannot reach PostgreSQL at ${place}: ${wordsOf(error)}`,
      'Is it running, is the address right, is there a firewall between?',
    )
  }
  return failure('SOURCE_FAILED', error, `${place}: ${error.message}`)
}

/** Class 08 is one thing: the connection. */
function connectionState(code: string): string {
  return /^08...$/.test(code) ? '57P01' : ''
}

/** A name with several addresses fails with an AggregateError whose own message is empty. */
function wordsOf(error: Error): string {
  const first = error instanceof AggregateError ? (error.errors[0] as Error | undefined) : undefined
  return error.message || first?.message || (error as ServerError).code || 'no answer'
}

function failure(code: ErrorCode, error: Error, message: string, hint?: string): PlimsollError {
  const { code: state, detail } = error as ServerError
  return new PlimsollError(code, message, {
    cause: error,
    ...(hint === undefined ? {} : { hint }),
    context: { ...(state ? { state } : {}), ...(detail && code !== 'SOURCE_FAILED' ? { detail } : {}) },
  })
}
