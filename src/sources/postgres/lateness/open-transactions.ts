import type { OpenTransaction, OpenTransactions } from '../../source.ts'
import type { Row } from '../connect/connection.ts'
import type { Pool } from '../connect/pool.ts'

const us = (expression: string): string =>
  `(extract(epoch FROM ${expression})::numeric * 1000000)::bigint::text`

/** `$1`: pids of our own sessions, which only read and are left out while they have written nothing. */
const OPEN = `
SELECT ${us('clock_timestamp()')} AS taken, a.pid, ${us('a.backend_start')} AS backend_start, ${us('a.xact_start')} AS started,
       a.backend_xid::text AS transaction, a.usename AS role, a.application_name AS application,
       (a.backend_type IS NULL OR a.state IS NOT DISTINCT FROM 'disabled') AS hidden
FROM (SELECT) one LEFT JOIN pg_catalog.pg_stat_activity a
  ON a.pid <> pg_backend_pid() AND NOT (a.backend_xid IS NULL AND a.pid = ANY ($1::int[]))
 AND a.datid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
 AND a.backend_type IS DISTINCT FROM 'autovacuum worker'
 AND (a.xact_start IS NOT NULL OR a.backend_type IS NULL OR a.state IS NOT DISTINCT FROM 'disabled')`

/** After the sessions: PREPARE takes a transaction from there to here. */
const PREPARED = `
SELECT transaction::text AS transaction, gid, owner AS role, ${us('prepared')} AS started
FROM pg_catalog.pg_prepared_xacts WHERE database = current_database()`

/** Everybody in this database with a transaction open, our own readers left out (assurance A19, A36). */
export async function readOpenTransactions(pool: Pool): Promise<OpenTransactions> {
  const pids = `{${pool.backendPids().join(',')}}`
  const sessions = await pool.ask(OPEN, [pids])
  const prepared = await pool.ask(PREPARED)
  return {
    takenUs: sessions[0]?.taken ?? '0',
    complete: sessions.every(({ hidden }) => hidden !== 't'),
    transactions: [...sessions.flatMap(openSession), ...prepared.map(preparedTransaction)],
  }
}

function openSession(row: Row): OpenTransaction[] {
  if (row.started == null) return []
  return [
    {
      startUs: row.started,
      transaction: row.transaction ?? undefined,
      session: `${row.pid}/${row.backend_start ?? ''}`,
      role: row.role ?? undefined,
      application: row.application || undefined,
      prepared: false,
    },
  ]
}

function preparedTransaction(row: Row): OpenTransaction {
  return {
    startUs: row.started ?? '0',
    transaction: row.transaction ?? undefined,
    session: `prepared/${row.gid}`,
    role: row.role ?? undefined,
    application: undefined,
    prepared: true,
  }
}
