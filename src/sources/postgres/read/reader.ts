import { PlimsollError } from '../../../kernel/errors.ts'
import type { ReachFailpoint } from '../../../kernel/failpoint.ts'
import { LANES } from '../../../kernel/lane.ts'
import type { Position } from '../../../kernel/position.ts'
import { quoteTable } from '../../../kernel/sql-text.ts'
import type { Reader, ReaderRequest, RowStream } from '../../source.ts'
import { ANSWER_GRACE_MS, type Connection, type Row } from '../connect/connection.ts'
import type { Pool } from '../connect/pool.ts'
import { snapshotStatements } from '../connect/session.ts'
import { readTableFacts } from '../describe/columns.ts'
import { copyRows } from './copy-rows.ts'
import { positionFromText } from './literals.ts'
import { waitForLog } from './replica-wait.ts'
import { statementsFor } from './statements.ts'

/**
 * The first queries that see data: after them, snapshot and log position are fixed (spec E30, E50). A query that fails
 * or is cancelled goes back to the savepoint, and the snapshot lives on.
 */
const SNAPSHOT = `SAVEPOINT plimsoll;
SELECT txid_current_snapshot() AS snapshot, lsn,
       CASE WHEN standby THEN '' ELSE substr(pg_walfile_name(lsn), 1, 8) END AS timeline
FROM (SELECT standby, CASE WHEN standby THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END AS lsn
      FROM pg_is_in_recovery() standby) s`

/**
 * Opens one snapshot of one table, in the order that makes it correct (spec E9, E50): wait for the log, lock, check
 * the schema, and only then look. Throws REPLICA_BEHIND, SCHEMA_CHANGED, TABLE_NOT_FOUND.
 */
export async function openReader(pool: Pool, request: ReaderRequest, reach: ReachFailpoint): Promise<Reader> {
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
    return snapshotReader(pool, connection, request, reach, { id: snapshot?.snapshot ?? '', logPosition })
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
async function lockStatements(connection: Connection, request: ReaderRequest): Promise<string> {
  const { shape, queryMaxMs, lockTimeoutMs } = request
  const open = snapshotStatements(queryMaxMs, lockTimeoutMs)
  if (shape.kind === 'view') {
    const [view] = await connection.rows('SELECT relkind FROM pg_class WHERE oid = $1', [shape.objectId])
    if (view?.relkind === 'm') return open
  }
  return `${open}; LOCK TABLE ${quoteTable(shape.table)} IN ACCESS SHARE MODE`
}

async function checkSchema(connection: Connection, { shape }: ReaderRequest): Promise<void> {
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

interface Snapshot {
  readonly id: string
  readonly logPosition: Reader['logPosition']
}

function snapshotReader(
  pool: Pool,
  connection: Connection,
  request: ReaderRequest,
  reach: ReachFailpoint,
  snapshot: Snapshot,
): Reader {
  const statements = statementsFor(request)
  let latest: RowStream | undefined
  let isClosed = false

  const recover = async (): Promise<void> => {
    await connection.rows('ROLLBACK TO SAVEPOINT plimsoll').catch(() => connection.destroy())
  }
  const ask = async (sql: string): Promise<Row | undefined> => {
    try {
      const [row] = await connection.rows(sql, [], request.queryMaxMs)
      return row
    } catch (error) {
      await recover()
      throw error
    }
  }
  const askPosition = async (sql: string): Promise<Position | undefined> => {
    const row = await ask(sql)
    return row?.position == null ? undefined : positionFromText(request.order, row.position)
  }

  return {
    snapshotId: snapshot.id,
    logPosition: snapshot.logPosition,
    nextBorder: (from, upper, rowCount) => askPosition(statements.border(from, upper, rowCount)),
    newest: () => askPosition(statements.newest()),
    async countLanes(limit) {
      const sql = statements.countLanes(limit)
      const row = sql ? await ask(sql) : undefined
      const counted = LANES.filter((lane) => row?.[lane] != null)
      return Object.fromEntries(counted.map((lane) => [lane, Number(row![lane])]))
    },
    read(scope) {
      latest = copyRows(connection, {
        format: request.format,
        quietMaxMs: request.queryMaxMs + ANSWER_GRACE_MS,
        prepare: async () => {
          const keySql = statements.lastKey(scope)
          const lastKey = keySql ? keyTexts(request.key, await ask(keySql)) : undefined
          const sql = `COPY (${statements.scope(scope)}) TO STDOUT (FORMAT ${request.format === 'pg_text' ? 'text' : 'csv'})`
          return lastKey ? { sql, lastKey } : { sql }
        },
        atEnd: async () => reach('read.last_page_done'),
        stop: async () => {
          await pool.ask('SELECT pg_cancel_backend($1::int)', [String(connection.backendPid)])
        },
        recover,
      })
      return latest
    },
    async close() {
      if (isClosed) return
      isClosed = true
      await latest?.cancel()
      await connection.rows('ROLLBACK').catch(() => connection.destroy())
      await pool.giveBack(connection)
    },
  }
}

/** The texts of a page's last key. Throws KEY_NULL: a NULL has no text to go on from. */
function keyTexts(key: readonly string[], row: Row | undefined): readonly string[] | undefined {
  if (!row) return undefined
  return key.map((name, i) => {
    const text = row[`k${i}`]
    if (text != null) return text
    throw new PlimsollError('KEY_NULL', `a row without position has NULL in its key column ${name}`, {
      hint: 'Such rows cannot be paged by key; give them a position or a key.',
    })
  })
}
