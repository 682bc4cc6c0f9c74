import type { Position } from '../../../kernel/position.ts'
import type { TieFigures, WindowFigures } from '../../diagnosis.ts'
import { positionFromValue } from '../predicates.ts'
import { dayAgo, type Subject, within } from './subject.ts'

/** The recent rows, and where they begin. */
export interface Window {
  readonly lower: Position | undefined
  readonly figures: WindowFigures
}

const MINUTE_US = 60_000_000

/** The rows of the last day; where it has none, or too many, the last ones (spec A41). */
export async function lookAtWindow(subject: Subject): Promise<Window> {
  const { windowRows } = subject.request
  const today = subject.moment === undefined ? 0 : await countOfDay(subject)
  const isLastDay = today > 0 && today <= windowRows
  const lower = isLastDay ? dayAgo(subject) : await nthNewest(subject, windowRows)
  return { lower, figures: { isLastDay, ...(await countMinutes(subject, lower)) } }
}

async function countOfDay(subject: Subject): Promise<number> {
  const { bench, table, request } = subject
  const newest = `SELECT 1 FROM ${table} WHERE ${within(subject, dayAgo(subject))} LIMIT ${request.windowRows + 1}`
  const [row] = await bench.ask(`SELECT count(*) AS n FROM (${newest})`)
  return Number(row!.n)
}

/** Undefined when the table has fewer rows. */
async function nthNewest(subject: Subject, n: number): Promise<Position | undefined> {
  const { bench, table, position, request } = subject
  const [row] = await bench.ask(
    `SELECT ${position} AS p FROM ${table} WHERE ${within(subject, undefined)} ORDER BY ${position} DESC LIMIT 1 OFFSET ${n - 1}`,
  )
  return row === undefined ? undefined : positionFromValue(request.order, row.p as string | bigint)
}

async function countMinutes(
  subject: Subject,
  lower: Position | undefined,
): Promise<Omit<WindowFigures, 'isLastDay'>> {
  const { bench, table, moment } = subject
  const where = `FROM ${table} WHERE ${within(subject, lower)}`
  if (moment === undefined) {
    const [row] = await bench.ask(`SELECT count(*) AS n ${where}`)
    return { rowCount: Number(row!.n), seconds: undefined, busiestMinuteRows: undefined }
  }
  const [row] = await bench.ask(
    `SELECT coalesce(sum(n), 0) AS n, coalesce(max(n), 0) AS busiest, coalesce(max(last) - min(first), 0) AS span
     FROM (SELECT count(*) AS n, min(us) AS first, max(us) AS last FROM (SELECT ${moment} AS us ${where}) GROUP BY us / ${MINUTE_US})`,
  )
  return {
    rowCount: Number(row!.n),
    seconds: Number(row!.span) / 1e6,
    busiestMinuteRows: Number(row!.busiest),
  }
}

const STEPS = [
  ['day', 86_400_000_000],
  ['hour', 3_600_000_000],
  ['minute', 60_000_000],
  ['second', 1_000_000],
  ['millisecond', 1_000],
] as const

/** L3: how many rows share a position, over the window. */
export async function lookAtTies(subject: Subject, lower: Position | undefined): Promise<TieFigures> {
  const { bench, table, position, moment } = subject
  const cases = STEPS.map(([name, us]) => `WHEN min(us % ${us} = 0) THEN '${name}'`)
  const step = moment === undefined ? `'value'` : `CASE ${cases.join(' ')} ELSE 'microsecond' END`
  const [row] = await bench.ask(
    `SELECT coalesce(sum(n), 0) AS rows, coalesce(sum(n * n), 0) AS squares, coalesce(max(n), 0) AS largest, ${step} AS step
     FROM (SELECT count(*) AS n, ${moment ?? 'NULL'} AS us FROM ${table} WHERE ${within(subject, lower)} GROUP BY ${position})`,
  )
  return {
    rowCount: Number(row!.rows),
    squareSum: Number(row!.squares),
    largest: Number(row!.largest),
    step: String(row!.step),
  }
}
