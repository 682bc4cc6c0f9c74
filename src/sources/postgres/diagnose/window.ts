import type { Position } from '../../../kernel/position.ts'
import type { WindowFigures } from '../../diagnosis.ts'
import { positionFromText } from '../read/literals.ts'
import { dayAgo, type Subject, within } from './subject.ts'

/** The recent rows, and where they begin. */
export interface Window {
  readonly lower: Position | undefined
  readonly figures: WindowFigures
}

/** The rows of the last day; where it has none, or too many, the last ones (spec A41). */
export async function lookAtWindow(subject: Subject): Promise<Window> {
  const { windowRows } = subject.request
  const today = subject.isTimed ? await countOfDay(subject) : 0
  const isLastDay = today > 0 && today <= windowRows
  const lower = isLastDay ? dayAgo(subject) : await nthNewest(subject, windowRows)
  return { lower, figures: { isLastDay, ...(await countMinutes(subject, lower)) } }
}

async function countOfDay(subject: Subject): Promise<number> {
  const { rows, table, request } = subject
  const some = `SELECT FROM ${table} WHERE ${within(subject, dayAgo(subject))} LIMIT ${request.windowRows + 1}`
  const [row] = await rows.ask(`SELECT count(*) AS n FROM (${some}) newest`)
  return Number(row!.n)
}

/** Undefined when the table has fewer rows. */
async function nthNewest(subject: Subject, n: number): Promise<Position | undefined> {
  const { rows, table, position, request } = subject
  const [row] = await rows.ask(
    `SELECT ${position} AS p FROM ${table} WHERE ${within(subject, undefined)} ORDER BY ${position} DESC OFFSET ${n - 1} LIMIT 1`,
  )
  return row?.p == null ? undefined : positionFromText(request.order, row.p)
}

const MINUTE_US = 60_000_000

async function countMinutes(
  subject: Subject,
  lower: Position | undefined,
): Promise<Omit<WindowFigures, 'isLastDay'>> {
  const { rows, table, moment } = subject
  const where = `FROM ${table} WHERE ${within(subject, lower)}`
  if (moment === undefined) {
    const [row] = await rows.ask(`SELECT count(*) AS n ${where}`)
    return { rowCount: Number(row!.n), seconds: undefined, busiestMinuteRows: undefined }
  }
  const [row] = await rows.ask(
    `SELECT coalesce(sum(n), 0) AS n, max(n) AS busiest, max(last) - min(first) AS span
     FROM (SELECT count(*) AS n, min(us) AS first, max(us) AS last
           FROM (SELECT ${moment} AS us ${where}) r GROUP BY us / ${MINUTE_US}) minutes`,
  )
  return {
    rowCount: Number(row!.n),
    seconds: Number(row!.span ?? '0') / 1e6,
    busiestMinuteRows: Number(row!.busiest ?? '0'),
  }
}
