/**
 * What every session of ours is set to, so that values are printed in one notation whatever the server's defaults
 * are (spec E3), nothing is written, and rows hidden by a policy are an error (E50).
 */
const SESSION: Readonly<Record<string, string>> = {
  datestyle: 'ISO, YMD',
  timezone: 'UTC',
  client_encoding: 'UTF8',
  extra_float_digits: '1',
  bytea_output: 'hex',
  intervalstyle: 'postgres',
  standard_conforming_strings: 'on',
  row_security: 'off',
  default_transaction_read_only: 'on',
  jit: 'off',
}

/** The longest that a query on the server's catalog may take. */
export const CATALOG_TIMEOUT_MS = 60_000
const LOCK_TIMEOUT_MS = 5_000
/** A reader waits between slices while the destination works; this ends one whose process was lost. */
const IDLE_IN_TRANSACTION_MS = 900_000

/** Statements that prepare a new session. */
export function sessionStatements(): string {
  const settings = { ...SESSION, ...timeouts(CATALOG_TIMEOUT_MS, LOCK_TIMEOUT_MS) }
  return Object.entries(settings)
    .map(([name, value]) => `SET ${name} = '${value}'`)
    .join('; ')
}

/**
 * Statements that open a transaction with one snapshot. The settings are repeated, for a transaction pooler may have
 * given us another server session. No statement here takes the snapshot (spec E50).
 */
export function snapshotStatements(queryMaxMs: number, lockTimeoutMs: number): string {
  const settings = { ...SESSION, ...timeouts(queryMaxMs, lockTimeoutMs) }
  const locals = Object.entries(settings).map(([name, value]) => `SET LOCAL ${name} = '${value}'`)
  return ['BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', ...locals].join('; ')
}

function timeouts(statementMs: number, lockMs: number): Record<string, string> {
  return {
    statement_timeout: String(Math.max(1, Math.floor(statementMs))),
    lock_timeout: String(Math.max(1, Math.floor(lockMs))),
    idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_MS),
  }
}
