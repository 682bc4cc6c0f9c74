import type { Range } from '../../kernel/range.ts'
import type { Classed } from './classes.ts'
import { isMarked, type LandingPlan, planPosition, STAGE } from './landing-plan.ts'
import type { Merged } from './merge.ts'
import { deepestFirst, isBelow, isInRange, positionJson } from './position-sql.ts'
import { nameConstraint } from './refused-row.ts'
import { comparable, SEQ } from './target-columns.ts'
import { allFresh } from './written.ts'

const LATE_ROWS = 1000

/** A row by all of its columns: without a key it has no other name. */
const image = ({ columns }: LandingPlan, alias: string): string =>
  `row(${columns.map((column) => comparable(column, alias)).join(', ')})`

/**
 * What a landing without key replaces: its range; without a range (lanes) the rows that equal a staged one, so that
 * landing them twice is the same as once (spec E55). Rows marked as gone are not there (A27).
 */
function scope(plan: LandingPlan, range: Range | undefined): string {
  const inScope = range ? isInRange(planPosition(plan, 't'), range) : isStaged(plan)
  return plan.hasMarks ? `${inScope} AND NOT ${isMarked(plan, 't')}` : inScope
}

const isStaged = (plan: LandingPlan): string =>
  `${image(plan, 't')} IN (SELECT ${image(plan, 's')} FROM ${STAGE} s)`

/** Classes without a key: a row is reprocessed when an equal one is there, otherwise late (spec E41). */
export async function classifyAppend(plan: LandingPlan, rowsRead: number): Promise<Classed> {
  const { session, landing, target, table } = plan
  const bound = landing.classBelow
  if (bound === undefined) return { classes: allFresh(rowsRead), lateRows: [] }
  const here = planPosition(plan, 's')
  const late = `(SELECT ${here} AS position, ${image(plan, 's')} AS image FROM ${STAGE} s WHERE ${isBelow(here, bound)}
    EXCEPT ALL SELECT ${planPosition(plan, 't')}, ${image(plan, 't')} FROM ${target} t WHERE ${scope(plan, landing.range)})`
  const [below, lateCount] = await session.row(
    `SELECT (SELECT count(*) FROM ${STAGE} s WHERE ${isBelow(here, bound)}), (SELECT count(*) FROM ${late} l)`,
  )
  const rows = await session.rows(
    `SELECT position::VARCHAR FROM ${late} l ORDER BY ${deepestFirst('position')} LIMIT ${LATE_ROWS}`,
  )
  const lateRows = rows.map(([position]) => ({
    key: [],
    position: positionJson(table.order, String(position)),
  }))
  const counted = { late: Number(lateCount), reprocessed: Number(below) - Number(lateCount) }
  return { classes: { ...allFresh(rowsRead - Number(below)), ...counted }, lateRows }
}

/** Replaces what is in scope by the staged rows, unless it holds just them, or rows of a later read. */
export async function replaceRange(plan: LandingPlan): Promise<Merged> {
  const { session, landing, target, columnNames, readSeq } = plan
  const inScope = scope(plan, landing.range)
  const staged = `SELECT ${image(plan, 's')} FROM ${STAGE} s`
  const present = `SELECT ${image(plan, 't')} FROM ${target} t WHERE ${inScope}`
  const [added, gone, later] = await session.row(
    `SELECT (SELECT count(*) FROM (${staged} EXCEPT ALL ${present})), (SELECT count(*) FROM (${present} EXCEPT ALL ${staged})),
       (SELECT count(*) FROM ${target} t WHERE ${inScope} AND t.${SEQ} > ${readSeq})`,
  )
  if (later !== 0n || (added === 0n && gone === 0n)) return { inserted: 0, updated: 0 }
  try {
    await session.run(`DELETE FROM ${target} t WHERE ${inScope}`)
    // A row marked as gone that came back stands there once (spec A27).
    if (plan.hasMarks)
      await session.run(`DELETE FROM ${target} t WHERE ${isMarked(plan, 't')} AND ${isStaged(plan)}`)
    await session.run(
      `INSERT INTO ${target} (${columnNames}, ${SEQ}) SELECT ${columnNames}, ${readSeq} FROM ${STAGE}`,
    )
  } catch (error) {
    throw nameConstraint(error, plan)
  }
  return { inserted: Number(added), updated: 0 }
}
