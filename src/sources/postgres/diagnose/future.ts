import type { Position } from '../../../kernel/position.ts'
import { quoteIdentifier } from '../../../kernel/sql-text.ts'
import type { AheadFigures, FutureFigures } from '../../diagnosis.ts'
import { lanePredicates } from '../read/predicates.ts'
import { hasCommitTimes, whereKept } from './lateness.ts'
import { committedUs, shownPosition } from './moment.ts'
import { type Subject, withFuture } from './subject.ts'

/** L5: rows dated later than the source's clock. */
export async function lookAtFuture(subject: Subject): Promise<FutureFigures | undefined> {
  const { rows, table, position, column, isTimed, request } = subject
  if (!isTimed) return undefined
  const lanes = lanePredicates(column)
  const [future, infinite] = [lanes.get('future') ?? 'false', lanes.get('infinity') ?? 'false']
  const [row] = await rows.ask(
    `SELECT (SELECT count(*) FROM ${table} WHERE ${future}) AS future, (SELECT count(*) FROM ${table} WHERE ${infinite}) AS infinite,
       (SELECT ${position}::text FROM ${table} WHERE ${future} ORDER BY ${position} DESC LIMIT 1) AS furthest`,
  )
  return {
    count: Number(row!.future),
    infiniteCount: Number(row!.infinite),
    furthest: row!.furthest == null ? undefined : shownPosition(request.order, row!.furthest),
  }
}

const WRITERS_LISTED = 20

/**
 * L6: how far the stamps of each writer lie ahead of the database, by commit times, else by the clock now. What is
 * further ahead than the ceiling is no clock but a date (L5).
 */
export async function lookAtAhead(
  subject: Subject,
  lower: Position | undefined,
): Promise<readonly AheadFigures[] | undefined> {
  if (!hasCommitTimes(subject)) return undefined
  const committed = committedUs(subject.request.order, 't')
  return (
    (await whereKept(() => aheadOf(subject, lower, committed))) ?? aheadOf(subject, lower, `${subject.nowUs}`)
  )
}

async function aheadOf(
  subject: Subject,
  lower: Position | undefined,
  written: string,
): Promise<readonly AheadFigures[]> {
  const { rows, table, moment, request } = subject
  const writer = request.writer === undefined ? 'NULL' : `t.${quoteIdentifier(request.writer)}::text`
  const found = await rows.ask(
    `SELECT writer, max(ahead) AS ahead FROM (
       SELECT ${writer} AS writer, ${moment} - ${written} AS ahead FROM ${table} t WHERE ${withFuture(subject, lower)}) r
     WHERE ahead BETWEEN 1 AND ${request.ceilingUs} GROUP BY 1 ORDER BY 2 DESC LIMIT ${WRITERS_LISTED}`,
  )
  return found.map((row) => ({ writer: row.writer ?? undefined, aheadUs: BigInt(row.ahead ?? '0') }))
}
