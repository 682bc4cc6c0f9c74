import type { Position } from '../../../kernel/position.ts'
import type { TieFigures } from '../../diagnosis.ts'
import { type Subject, within } from './subject.ts'

/** Steps that stamps are cut to, the coarsest first, in µs. */
const STEPS = [
  ['day', 86_400_000_000],
  ['hour', 3_600_000_000],
  ['minute', 60_000_000],
  ['second', 1_000_000],
  ['millisecond', 1_000],
] as const

/** L3: how many rows share a position, over the window. */
export async function lookAtTies(subject: Subject, lower: Position | undefined): Promise<TieFigures> {
  const { rows, table, position, moment } = subject
  const shared = STEPS.map(([, us]) => `coalesce(bool_and(us % ${us} = 0), false)`)
  const step = moment === undefined ? `'value'` : stepOf(shared)
  const [row] = await rows.ask(
    `SELECT coalesce(sum(n), 0) AS rows, coalesce(sum(n::numeric * n), 0) AS squares, coalesce(max(n), 0) AS largest, ${step} AS step
     FROM (SELECT n, ${moment === undefined ? 'NULL::bigint' : moment} AS us FROM (
       SELECT ${position}, count(*) AS n FROM ${table} WHERE ${within(subject, lower)} GROUP BY 1) p) g`,
  )
  return {
    rowCount: Number(row!.rows),
    squareSum: Number(row!.squares),
    largest: Number(row!.largest),
    step: row!.step ?? 'value',
  }
}

function stepOf(shared: readonly string[]): string {
  const cases = STEPS.map(([name], i) => `WHEN ${shared[i]} THEN '${name}'`)
  return `CASE ${cases.join(' ')} ELSE 'microsecond' END`
}
