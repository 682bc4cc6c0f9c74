import { PlimsollError } from '../../../kernel/errors.ts'
import type { ReachFailpoint } from '../../../kernel/failpoint.ts'
import type { LogPosition } from '../../../kernel/fence.ts'
import { quoteTable } from '../../../kernel/sql-text.ts'
import type { ReaderRequest } from '../../source.ts'
import type { Connection } from '../connect/connection.ts'
import type { Pool } from '../connect/pool.ts'
import { snapshotStatements } from '../connect/session.ts'
import { readTableFacts } from '../describe/columns.ts'
import { waitForLog } from './replica-wait.ts'

/** What a snapshot must be of, and how long its queries may take. */
export type SnapshotRequest = Pick<
  ReaderRequest,
  'shape' | 'after' | 'replicaWaitMs' | 'queryMaxMs' | 'lockTimeoutMs'
>

/** One transaction with one snapshot on a connection of its own. */
export interface Snapshot {
  readonly connection: Connection
  readonly id: string
  readonly logPosition: LogPosition | undefined
  /** The server's clock once the snapshot stood, µs since 1970. */
  readonly takenUs: string
}

/**
 * The first queries that see data: after them, snapshot and log position are fixed (spec E30, E50). A query that fails
 * or is cancelled goes back to the savepoint, and the snapshot lives on.
 */
const SNAPSHOT = `SAVEPOINT plimsoll;
SELECT txid_current_snapshot() AS snapshot, lsn,
       (extract(epoch FROM clock_timestamp())::numeric * 1000000)::bigint AS taken,
       CASE WHEN standby THEN '' ELSE substr(pg_walfile_name(lsn), 1, 8) END AS timeline
FROM (SELECT standby, CASE WHEN standby THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END AS lsn
      FROM pg_is_in_recovery() standby) s`

/**
 * Opens one snapshot of one table, in the order that makes it correct (spec E9, E50): wait for the log, lock, check
 * the schema, and only then look. Throws REPLICA_BEHIND, SCHEMA_CHANGED, TABLE_NOT_FOUND.
 */
export async function openSnapshot(
  pool: Pool,
  request: SnapshotRequest,
  reach: ReachFailpoint,
): Promise<Snapshot> {
  const connection = await pool.lend()
  try {
    if (request.after) await waitForLog(connection, request.after, request.replicaWaitMs)
    await reach('replica.waited')
    await connection.rows(await lockStatements(connection, request))
    await reach('read.locked')
    await checkSchema(connection, request)
    const [snapshot] = await connection.rows(SNAPSHOT)
    await reach('read.snapshot_opened')
    const timeline = snapshot?.timeline || (request.after?.timeline ?? '')
    const logPosition = snapshot?.lsn ? { timeline, text: snapshot.lsn } : undefined
    return { connection, id: snapshot?.snapshot ?? '', logPosition, takenUs: snapshot?.taken ?? '' }
  } catch (error) {
    connection.destroy()
    await pool.giveBack(connection)
    throw error
  }
}

/**
 * A snapshot older than a rewriting ALTER or a TRUNCATE finds an empty table: so the lock comes before it. Materialized
 * views cannot be locked; a refresh leaves rows that older snapshots see as well.
 */
async function lockStatements(connection: Connection, request: SnapshotRequest): Promise<string> {
  const { shape, queryMaxMs, lockTimeoutMs } = request
  const open = snapshotStatements(queryMaxMs, lockTimeoutMs)
  if (shape.kind === 'view') {
    const [view] = await connection.rows('SELECT relkind FROM pg_class WHERE oid = $1', [shape.objectId])
    if (view?.relkind === 'm') return open
  }
  return `${open}; LOCK TABLE ${quoteTable(shape.table)} IN ACCESS SHARE MODE`
}

async function checkSchema(connection: Connection, { shape }: SnapshotRequest): Promise<void> {
  const { schema, name } = shape.table
  const facts = await readTableFacts(connection, shape.table)
  if (facts?.objectId === shape.objectId && facts.schemaHash === shape.schemaHash) return
  const what = !facts
    ? 'is gone'
    : facts.objectId !== shape.objectId
      ? 'is another table under the same name'
      : 'has other columns or types'
  throw new PlimsollError('SCHEMA_CHANGED', `${schema}.${name} ${what} than when this run began`, {
    hint: 'Run again: the new shape is looked at first.',
    context: { before: shape.schemaHash, now: facts?.schemaHash ?? null },
  })
}
