import type { Position } from '../../kernel/position.ts'
import type { LateRow, RowClasses } from '../destination.ts'
import { keyMatches } from './compare-sql.ts'
import { isChanged, joinPresent, type LandingPlan, planPosition, SEQ, STAGE } from './landing-plan.ts'
import { isBelow, isEqual, isNewer, isOlder, positionFromText } from './position-sql.ts'
import type { Session } from './sessions.ts'
import { keyTexts } from './stage.ts'

const LATE_ROWS = 1000

export interface Classed {
  readonly classes: RowClasses
  readonly lateRows: readonly LateRow[]
}

/**
 * Counts how the staged rows below a bound stand against the target (spec E41). Those that are there already, equal, are
 * taken out of the stage: they need no merge.
 */
export async function classifyStage(
  session: Session,
  plan: LandingPlan,
  rowsRead: number,
  bound: Position | undefined,
): Promise<Classed> {
  const none = { late: 0, reprocessed: 0, samePosition: 0, regressed: 0 }
  if (bound === undefined) return { classes: { fresh: rowsRead, ...none }, lateRows: [] }
  const incoming = planPosition(plan, 's')
  const present = planPosition(plan, 't')
  const below = isBelow(incoming, bound)
  const changed = isChanged(plan, 't', 's')
  const equal = await session.query(
    `DELETE FROM ${STAGE} WHERE ctid = ANY (ARRAY(
       SELECT s.ctid FROM ${STAGE} s ${joinPresent(plan, 'JOIN')} WHERE ${below} AND NOT ${changed}))`,
  )
  const isLate = `(t.${SEQ} IS NULL OR ${isOlder(present, incoming)})`
  const { rows } = await session.query(
    `SELECT count(*) FILTER (WHERE ${isLate})::int AS late,
       count(*) FILTER (WHERE ${isEqual(present, incoming)})::int AS same,
       count(*) FILTER (WHERE ${isNewer(present, incoming)})::int AS regressed
     FROM ${STAGE} s ${joinPresent(plan, 'LEFT JOIN')} WHERE ${below}`,
  )
  const { late, same, regressed } = rows[0]
  const reprocessed = equal.rowCount ?? 0
  const fresh = rowsRead - late - same - regressed - reprocessed
  const lateRows = late === 0 ? [] : await readLateRows(session, plan, `${below} AND ${isLate}`)
  return { classes: { fresh, late, reprocessed, samePosition: same, regressed }, lateRows }
}

async function readLateRows(session: Session, plan: LandingPlan, where: string): Promise<LateRow[]> {
  const incoming = planPosition(plan, 's')
  const { rows } = await session.query(
    `SELECT ${keyTexts(plan)} AS key, (${incoming})::text AS position
     FROM ${STAGE} s ${joinPresent(plan, 'LEFT JOIN')} WHERE ${where} ORDER BY ${incoming} LIMIT ${LATE_ROWS}`,
  )
  return rows.flatMap(({ key, position: text }) => {
    const position = positionFromText(text, plan.table.order)
    return position ? [{ key, position }] : []
  })
}

/**
 * While a read with a smaller readSeq is outstanding, rows found unchanged get the new readSeq as well, or that older
 * read would overwrite them when it lands (spec E53). Before rows are taken out of the stage.
 */
export async function touchUnchanged(session: Session, plan: LandingPlan): Promise<void> {
  await session.query(
    `UPDATE ${plan.target} u SET ${SEQ} = ${plan.readSeq} FROM ${STAGE} s ${joinPresent(plan, 'JOIN')}
     WHERE ${keyMatches(plan.table, 'u', 's')} AND u.${SEQ} = t.${SEQ} AND t.${SEQ} < ${plan.readSeq}
       AND NOT ${isChanged(plan, 't', 's')}`,
  )
}
