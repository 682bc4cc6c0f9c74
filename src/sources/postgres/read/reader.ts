import { PlimsollError } from '../../../kernel/errors.ts'
import type { ReachFailpoint } from '../../../kernel/failpoint.ts'
import { LANES } from '../../../kernel/lane.ts'
import type { Position } from '../../../kernel/position.ts'
import type { Reader, ReaderRequest, RowStream } from '../../source.ts'
import { ANSWER_GRACE_MS, type Row } from '../connect/connection.ts'
import type { Pool } from '../connect/pool.ts'
import { lookAt } from '../look/look.ts'
import { copyRows } from './copy-rows.ts'
import { positionFromText } from './literals.ts'
import { openSnapshot, type Snapshot } from './snapshot.ts'
import { statementsFor } from './statements.ts'

/** Opens one snapshot of one table (spec E9, E50). Throws REPLICA_BEHIND, SCHEMA_CHANGED, TABLE_NOT_FOUND. */
export async function openReader(pool: Pool, request: ReaderRequest, reach: ReachFailpoint): Promise<Reader> {
  const snapshot = await openSnapshot(pool, request, reach)
  return snapshotReader(pool, snapshot, request, reach)
}

function snapshotReader(
  pool: Pool,
  snapshot: Snapshot,
  request: ReaderRequest,
  reach: ReachFailpoint,
): Reader {
  const { connection } = snapshot
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
    takenUs: snapshot.takenUs,
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
    look: async (plan) => {
      await latest?.cancel()
      const { shape, order, asText, queryMaxMs } = request
      return lookAt(snapshot, { shape, order, asText, queryMaxMs, plan }, async () => undefined)
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
