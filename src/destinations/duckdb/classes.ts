import type { LateRow, RowClasses } from '../destination.ts'
import { type LandingPlan, MATCH, planKey } from './landing-plan.ts'
import { DIFFERS, POSITION_HERE, POSITION_THERE, ROW_THERE } from './merge.ts'
import { deepestFirst, isBelow, isOlder, positionJson } from './position-sql.ts'
import { allFresh } from './written.ts'

const LATE_ROWS = 1000

export interface Classed {
  readonly classes: RowClasses
  readonly lateRows: readonly LateRow[]
}

/**
 * Counts how the rows below the bound stand against the target (spec E41). A staged row that repeats another one, which
 * the match has once, counts as fresh.
 */
export async function classifyMatch(plan: LandingPlan, rowsRead: number): Promise<Classed> {
  const { session, landing, table } = plan
  const bound = landing.classBelow
  if (bound === undefined) return { classes: allFresh(rowsRead), lateRows: [] }
  const below = isBelow(POSITION_HERE, bound)
  const isLate = `(${ROW_THERE} IS NULL OR coalesce(${isOlder(POSITION_THERE, POSITION_HERE)}, true))`
  const isRegressed = `(NOT ${isLate} AND ${isOlder(POSITION_HERE, POSITION_THERE)})`
  const counts = await session.row(
    `SELECT count(*) FILTER (WHERE ${isLate}), count(*) FILTER (WHERE ${isRegressed}),
       count(*) FILTER (WHERE NOT ${isLate} AND NOT ${isRegressed} AND ${DIFFERS}),
       count(*) FILTER (WHERE NOT ${isLate} AND NOT ${isRegressed} AND NOT ${DIFFERS})
     FROM ${MATCH} WHERE ${below}`,
  )
  const [late, regressed, samePosition, reprocessed] = counts.map(Number) as [number, number, number, number]
  const fresh = rowsRead - late - regressed - samePosition - reprocessed
  const lateRows = late === 0 ? [] : await readLateRows(plan, `${below} AND ${isLate}`)
  return { classes: { fresh, late, reprocessed, samePosition, regressed }, lateRows }

  async function readLateRows(from: LandingPlan, where: string): Promise<LateRow[]> {
    const rows = await session.rows(
      `SELECT to_json(${planKey(from, 'm')})::VARCHAR, ${POSITION_HERE}::VARCHAR FROM ${MATCH} m WHERE ${where}
       ORDER BY ${deepestFirst(POSITION_HERE)} LIMIT ${LATE_ROWS}`,
    )
    return rows.map(([key, position]) => ({
      key: JSON.parse(String(key)),
      position: positionJson(table.order, String(position)),
    }))
  }
}
