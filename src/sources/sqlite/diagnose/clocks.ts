import type { Position } from '../../../kernel/position.ts'
import { quoteIdentifier } from '../../../kernel/sql-text.ts'
import type { AheadFigures, FutureFigures, WallTimeFigures } from '../../diagnosis.ts'
import { lanePredicates } from '../predicates.ts'
import { TICK } from './bench.ts'
import { type Subject, withFuture } from './subject.ts'

/** L5: rows dated later than the clock. */
export async function lookAtFuture({
  bench,
  table,
  position,
  column,
  moment,
}: Subject): Promise<FutureFigures | undefined> {
  if (moment === undefined) return undefined
  const future = `${lanePredicates(column).get('future') ?? 'false'} AND ${TICK}`
  const [row] = await bench.ask(
    `SELECT count(*) AS n, max(${position}) AS furthest FROM ${table} WHERE ${future}`,
  )
  const { n, furthest } = row!
  return { count: Number(n), infiniteCount: 0, furthest: furthest === null ? undefined : String(furthest) }
}

const WRITERS_LISTED = 20

/** L6: how far the newest stamps of each writer lie ahead of the clock now; beyond the ceiling it is a date (L5). */
export async function lookAtAhead(
  subject: Subject,
  lower: Position | undefined,
): Promise<readonly AheadFigures[] | undefined> {
  const { bench, table, moment, request, nowUs } = subject
  if (moment === undefined) return undefined
  const writer = request.writer === undefined ? 'NULL' : `CAST(${quoteIdentifier(request.writer)} AS TEXT)`
  const rows = await bench.ask(
    `SELECT writer, max(ahead) AS ahead FROM (SELECT ${writer} AS writer, ${moment} - ${nowUs} AS ahead FROM ${table} WHERE ${withFuture(subject, lower)})
     WHERE ahead BETWEEN 1 AND ${request.ceilingUs} GROUP BY 1 ORDER BY 2 DESC LIMIT ${WRITERS_LISTED}`,
  )
  return rows.map(({ writer, ahead }) => ({
    writer: writer === null ? undefined : String(writer),
    aheadUs: ahead as bigint,
  }))
}

const QUARTER_HOUR_US = 900_000_000n
/** No clock is further from UTC; a newest row that is older says nothing. */
const FURTHEST_US = 15n * 3_600_000_000n

/** L7: texts without a zone are read as UTC; how far the newest are from it. */
export async function lookAtWallTime(subject: Subject): Promise<WallTimeFigures | undefined> {
  const { bench, table, position, request, nowUs } = subject
  const { kind, encoding, template = '' } = request.order
  if (kind !== 'text' || encoding !== 'iso' || template.endsWith('Z') || template.length <= 10)
    return undefined
  const near = `${withFuture(subject, undefined)} AND plimsoll_us(${position}) < ${nowUs + FURTHEST_US}`
  const [row] = await bench.ask(
    `SELECT plimsoll_us(${position}) AS us FROM ${table} WHERE ${near} ORDER BY ${position} DESC LIMIT 1`,
  )
  const distance = row?.us === undefined ? undefined : (row.us as bigint) - nowUs
  const isNear = distance !== undefined && distance > -FURTHEST_US
  return {
    nativeType:
      subject.facts.columns.find((each) => each.shape.name === request.order.column)?.shape.nativeType ?? '',
    quarterHours: isNear ? Math.round(Number(distance) / Number(QUARTER_HOUR_US)) : undefined,
    fold: undefined,
  }
}
