import { quoteLiteral } from '../../../kernel/sql-text.ts'
import type { FoldFigures, WallTimeFigures } from '../../diagnosis.ts'
import { us } from './moment.ts'
import type { Subject } from './subject.ts'

/** L7: a position without a zone: how far from UTC it runs, and the hour that its zone repeated last. */
export async function lookAtWallTime(subject: Subject): Promise<WallTimeFigures | undefined> {
  const { kind } = subject.request.order
  if (kind !== 'timestamp' && kind !== 'date') return undefined
  return {
    nativeType: subject.column.nativeType,
    quarterHours: kind === 'timestamp' ? await quarterHours(subject) : undefined,
    fold: kind === 'timestamp' && subject.request.zoneKnown ? await lastFold(subject) : undefined,
  }
}

const QUARTER_HOUR_US = 900_000_000
/** No clock is further from UTC; a newest row that is older says nothing. */
const FURTHEST = '15 hours'

async function quarterHours({ rows, table, position }: Subject): Promise<number | undefined> {
  const [row] = await rows.ask(
    `SELECT round(${us(`max(${position}) - utc`)}::numeric / ${QUARTER_HOUR_US}) AS n
     FROM ${table}, (SELECT now() AT TIME ZONE 'UTC' AS utc) clock
     WHERE ${position} > utc - interval '${FURTHEST}' AND ${position} < utc + interval '${FURTHEST}' GROUP BY utc`,
  )
  return row?.n == null ? undefined : Number(row.n)
}

/** The newest hour of the last 400 days in which the zone's clock was put back. */
async function lastFold({ rows, table, position, request }: Subject): Promise<FoldFigures | undefined> {
  const zone = quoteLiteral(request.order.zone ?? 'UTC')
  const [fold] = await rows.ask(
    `SELECT w AS wall, to_char(w, 'YYYY-MM-DD') AS date, to_char(w, 'HH24:MI') AS hour
     FROM (SELECT x AT TIME ZONE ${zone} AS w, (x - interval '1 hour') AT TIME ZONE ${zone} AS before
           FROM generate_series(date_trunc('hour', now() - interval '400 days'), now(), interval '1 hour') x) hours
     WHERE w - before < interval '1 hour' ORDER BY w DESC LIMIT 1`,
  )
  if (!fold) return undefined
  const start = `${quoteLiteral(fold.wall!)}::timestamp`
  const [row] = await rows.ask(
    `SELECT count(*) AS n FROM ${table} WHERE ${position} >= ${start} AND ${position} < ${start} + interval '1 hour'`,
  )
  return { hour: fold.hour!, date: fold.date!, rowCount: Number(row!.n) }
}
