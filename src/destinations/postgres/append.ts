import type { Position } from '../../kernel/position.ts'
import type { Range } from '../../kernel/range.ts'
import type { LateRow } from '../destination.ts'
import type { Classed } from './classes.ts'
import { DELETED, hasMarks, type LandingPlan, list, planPosition, SEQ, STAGE } from './landing-plan.ts'
import { type Merged, writeOrName } from './merge.ts'
import { isBelow, isInRange, positionFromText } from './position-sql.ts'
import type { Session } from './sessions.ts'

const LATE_ROWS = 1000

/** A row as text that is equal only when every value prints alike; without a key a row is known by all of it. */
const image = ({ columns }: LandingPlan, alias: string) => `ROW(${list(columns, alias)})::text COLLATE "C"`

/**
 * What a landing without key replaces: its range, or, for rows without a range (lanes), the rows that equal a staged
 * one, so that landing them twice is the same as once (spec E55). Rows marked as gone are not there (A27).
 */
function scope(plan: LandingPlan, range: Range | undefined): string {
  const inScope = range ? isInRange(planPosition(plan, 't'), range) : isStaged(plan)
  return hasMarks(plan) ? `${inScope} AND t.${DELETED} IS NULL` : inScope
}

const isStaged = (plan: LandingPlan): string =>
  `${image(plan, 't')} IN (SELECT ${image(plan, 's')} FROM ${STAGE} s)`

/** Classes without a key: a row is reprocessed when an equal one is there, otherwise late (spec E41). */
export async function classifyAppend(
  session: Session,
  plan: LandingPlan,
  rowsRead: number,
  range: Range | undefined,
  bound: Position | undefined,
): Promise<Classed> {
  const none = { late: 0, reprocessed: 0, samePosition: 0, regressed: 0 }
  if (bound === undefined) return { classes: { fresh: rowsRead, ...none }, lateRows: [] }
  const incoming = planPosition(plan, 's')
  const late = `SELECT ${incoming} AS position, ${image(plan, 's')} AS image FROM ${STAGE} s WHERE ${isBelow(incoming, bound)}
    EXCEPT ALL SELECT ${planPosition(plan, 't')}, ${image(plan, 't')} FROM ${plan.target} t WHERE ${scope(plan, range)}`
  const { rows } = await session.query(
    `SELECT (SELECT count(*) FROM ${STAGE} s WHERE ${isBelow(incoming, bound)})::int AS below,
       (SELECT count(*) FROM (${late}) l)::int AS late`,
  )
  const { below, late: lateCount } = rows[0]
  const found = await session.query(
    `SELECT position::text AS position FROM (${late}) l ORDER BY l.position LIMIT ${LATE_ROWS}`,
  )
  const lateRows: LateRow[] = found.rows.flatMap(({ position: text }) => {
    const position = positionFromText(text, plan.table.order)
    return position ? [{ key: [], position }] : []
  })
  const classes = { ...none, fresh: rowsRead - below, late: lateCount, reprocessed: below - lateCount }
  return { classes, lateRows }
}

/** Replaces what is in scope by the staged rows, unless it holds just them, or rows of a later read. */
export async function replaceRange(
  session: Session,
  plan: LandingPlan,
  rowCount: number,
  range: Range | undefined,
): Promise<Merged> {
  const inScope = scope(plan, range)
  const staged = `SELECT ${image(plan, 's')} FROM ${STAGE} s`
  const present = `SELECT ${image(plan, 't')} FROM ${plan.target} t WHERE ${inScope}`
  const { rows } = await session.query(
    `SELECT (SELECT count(*) FROM (${staged} EXCEPT ALL ${present}) d)::int AS added,
       (SELECT count(*) FROM (${present} EXCEPT ALL ${staged}) d)::int AS gone,
       EXISTS (SELECT FROM ${plan.target} t WHERE ${inScope} AND t.${SEQ} > ${plan.readSeq}) AS later`,
  )
  const { added, gone, later } = rows[0]
  if (later || (added === 0 && gone === 0)) return { inserted: 0, updated: 0 }
  await session.query(`DELETE FROM ${plan.target} t WHERE ${inScope}`)
  // A row marked as gone that came back stands there once (spec A27).
  if (hasMarks(plan)) {
    await session.query(`DELETE FROM ${plan.target} t WHERE t.${DELETED} IS NOT NULL AND ${isStaged(plan)}`)
  }
  await writeOrName(session, plan, rowCount, (source) =>
    session.query(
      `INSERT INTO ${plan.target} (${list(plan.columns)}, ${SEQ})
       SELECT ${list(plan.columns, 's')}, ${plan.readSeq} FROM ${source} s`,
    ),
  )
  return { inserted: added, updated: 0 }
}
