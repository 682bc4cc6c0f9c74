import { assert } from '../../../kernel/assert.ts'
import { isTimeLike, positionToUs } from '../../../kernel/moment.ts'
import { quoteIdentifier, quoteLiteral, quoteTable } from '../../../kernel/sql-text.ts'
import type { CommitTime, CommitTimesRequest } from '../../source.ts'
import type { Row } from '../connect/connection.ts'
import type { Pool } from '../connect/pool.ts'
import { snapshotStatements } from '../connect/session.ts'
import { positionFromText } from '../read/literals.ts'
import { rangePredicate } from '../read/predicates.ts'

/**
 * When rows of a range were committed, against what they are stamped with (assurance A35). A day has no lateness that
 * would mean anything, and a counter none at all. Bounded by the request in rows and time.
 */
export async function readCommitTimes(
  pool: Pool,
  request: CommitTimesRequest,
): Promise<readonly CommitTime[] | undefined> {
  const { order, shape } = request
  if (!isTimeLike(order) || order.kind === 'date' || shape.kind === 'view') return undefined
  const connection = await pool.lend()
  try {
    const [kept] = await connection.rows(`SELECT current_setting('track_commit_timestamp') AS kept`)
    if (kept?.kept !== 'on') return undefined
    await connection.rows(snapshotStatements(request.queryMaxMs, request.lockTimeoutMs))
    const rows = await connection.rows(statement(request), [], request.queryMaxMs)
    return rows.flatMap((row) => commitTime(request, row))
  } finally {
    await connection.rows('ROLLBACK').catch(() => connection.destroy())
    await pool.giveBack(connection)
  }
}

const us = (expression: string): string => `(extract(epoch FROM ${expression})::numeric * 1000000)::bigint`

function statement(request: CommitTimesRequest): string {
  const { shape, order, range, committedAfterUs, committedUntilUs, share, rowLimit } = request
  assert(Number.isSafeInteger(rowLimit) && rowLimit > 0, `not a count of rows: ${rowLimit}`)
  const column = shape.columns.find(({ name }) => name === order.column)
  assert(column, `the position column ${order.column} is not in the table`)
  const ordered = { order, nativeType: column.nativeType, nullable: column.nullable, futureFromUs: undefined }
  const wall =
    order.kind === 'timestamp' ? `committed AT TIME ZONE ${quoteLiteral(order.zone ?? 'UTC')}` : 'committed'
  return `SELECT place, position, ${us('committed')} AS committed, ${us(wall)} AS comparable FROM (
    SELECT ${quoteIdentifier(order.column)}::text AS position, t.ctid::text AS place,
           pg_xact_commit_timestamp(t.xmin) AS committed
    FROM ${quoteTable(shape.table)} t WHERE ${rangePredicate(ordered, range.lower, range.upper)}${chosenByChance(share)}
  ) rows WHERE ${us('committed')} > ${committedAfterUs} AND ${us('committed')} <= ${committedUntilUs} LIMIT ${rowLimit}`
}

const PARTS = 65_536

/** By a hash of the row's place: which rows are chosen has nothing to do with their lateness. */
function chosenByChance(share: number): string {
  if (share >= 1) return ''
  const parts = Math.max(1, Math.floor(share * PARTS))
  return ` AND (hashtextextended(t.ctid::text, 0) & ${PARTS - 1}) < ${parts}`
}

function commitTime({ order }: CommitTimesRequest, row: Row): CommitTime[] {
  const { committed, comparable } = row
  assert(row.position != null && committed != null && comparable != null, 'a row without a commit time came')
  const position = positionFromText(order, row.position)
  const positionUs = positionToUs(order, position)
  if (positionUs === undefined) return []
  return [
    {
      position,
      place: row.place ?? '',
      committedUs: BigInt(committed),
      latenessUs: BigInt(comparable) - positionUs,
    },
  ]
}
