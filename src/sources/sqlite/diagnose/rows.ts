import type { Lane } from '../../../kernel/lane.ts'
import type { LaneFigures, ReachFigures, RoundTripFigures } from '../../diagnosis.ts'
import { lanePredicates } from '../predicates.ts'
import { TICK, type Value } from './bench.ts'
import { type Subject, withFuture, within } from './subject.ts'

const FORMS_LISTED = 10

/** L8: rows without a place in the order, and the forms in which positions are stored: a second one is the finding. */
export async function lookAtLanes({
  bench,
  table,
  position: c,
  column,
  request,
}: Subject): Promise<LaneFigures> {
  const counts: Partial<Record<Lane, number>> = {}
  for (const [lane, predicate] of lanePredicates(column)) {
    if (lane === 'future') continue
    const rows = `SELECT 1 FROM ${table} WHERE (${predicate}) AND ${TICK} LIMIT ${request.laneMaxRows + 1}`
    const [row] = await bench.ask(`SELECT count(*) AS n FROM (${rows})`)
    counts[lane] = Number(row!.n)
  }
  if (Object.values(counts).every((count) => count === 0)) return { counts, forms: [] }
  const forms = await bench.ask(
    `SELECT typeof(${c}) || CASE typeof(${c}) WHEN 'text' THEN ' of ' || length(${c}) || ' with ' || quote(substr(${c}, 11, 1)) ELSE '' END AS form, count(*) AS n
     FROM ${table} WHERE ${TICK} GROUP BY 1 ORDER BY 2 DESC LIMIT ${FORMS_LISTED}`,
  )
  return { counts, forms: forms.map(({ form, n }) => ({ form: String(form), rowCount: Number(n) })) }
}

/** L13: the largest position, read by the driver and sent back by it, in one snapshot. */
export async function lookAtRoundTrip(subject: Subject): Promise<RoundTripFigures | undefined> {
  const { bench, table, position } = subject
  return bench.inSnapshot((ask) => {
    const [largest] = ask(
      `SELECT ${position} AS p FROM ${table} WHERE ${withFuture(subject, undefined)} ORDER BY ${position} DESC LIMIT 1`,
    )
    if (largest === undefined) return undefined
    const value = largest.p as Value
    const [found] = ask(
      `SELECT count(*) AS n FROM (SELECT 1 FROM ${table} WHERE ${position} = ? LIMIT 1000)`,
      value,
    )
    return { sent: String(value), rowCount: Number(found!.n) }
  })
}

/** A45: the oldest position. */
export async function lookAtReach(subject: Subject): Promise<ReachFigures | undefined> {
  const { bench, table, position, moment, nowUs } = subject
  if (moment === undefined) return undefined
  const [oldest] = await bench.ask(
    `SELECT ${position} AS p, ${moment} AS us FROM ${table} WHERE ${within(subject, undefined)} ORDER BY ${position} LIMIT 1`,
  )
  if (oldest?.us == null) return undefined
  return { oldest: String(oldest.p), oldestUs: oldest.us as bigint, nowUs, isPartitioned: false }
}
