import { keyColumns, type LandingPlan, MATCH, planPosition, STAGE } from './landing-plan.ts'
import { nameConstraint } from './refused-row.ts'
import { columnList, differs, SEQ, sameKey } from './target-columns.ts'

/** What the columns of the match table say, beside the row's own. */
export const ROW_THERE = '"_plimsoll_row"'
export const SEQ_THERE = '"_plimsoll_seq"'
export const POSITION_THERE = '"_plimsoll_there"'
export const POSITION_HERE = '"_plimsoll_here"'
export const DIFFERS = '"_plimsoll_differs"'

export interface Merged {
  readonly inserted: number
  readonly updated: number
}

/** Joins each staged row with the row of its key at the target, in history mode with its newest version (spec E54). */
export async function matchStage(plan: LandingPlan, hasRepeated: boolean): Promise<void> {
  const { session, table, target, columns } = plan
  const keys = columnList(keyColumns(plan), 's')
  const once = `(SELECT s.* FROM ${STAGE} s QUALIFY row_number() OVER (PARTITION BY ${keys}) = 1)`
  const isSame = sameKey(table, columns, 's', 't')
  // Only keys are compared with the whole target; the other columns are then fetched for the few rows that matched.
  const newest = table.mode === 'history' ? `GROUP BY ALL` : ''
  const row = table.mode === 'history' ? `max_by(t.rowid, t.${SEQ})` : 't.rowid'
  await session.run(
    `CREATE OR REPLACE TEMP TABLE plimsoll_found AS
     SELECT ${row} AS ${ROW_THERE}, ${keys} FROM ${STAGE} s JOIN ${target} t ON ${isSame} ${newest}`,
  )
  const found = `(SELECT f.${ROW_THERE}, t.* FROM temp.plimsoll_found f JOIN ${target} t ON t.rowid = f.${ROW_THERE})`
  await session.run(
    `CREATE OR REPLACE TEMP TABLE plimsoll_match AS
     SELECT s.*, t.${ROW_THERE}, t.${SEQ} AS ${SEQ_THERE}, ${planPosition(plan, 't')} AS ${POSITION_THERE},
       ${planPosition(plan, 's')} AS ${POSITION_HERE}, ${differs(columns, 's', 't')} AS ${DIFFERS}
     FROM ${hasRepeated ? once : STAGE} s LEFT JOIN ${found} t ON ${isSame}`,
  )
}

/**
 * Writes what differs (spec E53, E54): the later read stands, and while a smaller readSeq is outstanding unchanged rows
 * get the new one too. Rows are replaced by DELETE and INSERT: DuckDB keeps a deletion as a mark beside the row, so an
 * increment costs its own size, whatever the size of the table.
 */
export async function mergeMatch(plan: LandingPlan): Promise<Merged> {
  const { session, table, target, columnNames, readSeq, hasGap } = plan
  const isNew = `${ROW_THERE} IS NULL`
  const isBefore = `${SEQ_THERE} ${table.mode === 'history' ? '<' : '<='} ${readSeq}`
  const isChanged = `(NOT ${isNew} AND ${isBefore} AND ${DIFFERS})`
  const isTouched = hasGap ? `(NOT ${isNew} AND NOT ${DIFFERS} AND ${SEQ_THERE} < ${readSeq})` : 'false'
  const isReplaced = table.mode === 'history' ? isTouched : `(${isChanged} OR ${isTouched})`
  const isWritten = `(${isNew} OR ${isChanged} OR ${isTouched})`
  const [fresh, changed, replaced] = await session.row(
    `SELECT count(*) FILTER (WHERE ${isNew}), count(*) FILTER (WHERE ${isChanged}), count(*) FILTER (WHERE ${isReplaced})
     FROM ${MATCH}`,
  )
  try {
    if (replaced !== 0n) {
      await session.run(
        `DELETE FROM ${target} t WHERE t.rowid IN (SELECT ${ROW_THERE} FROM ${MATCH} WHERE ${isReplaced})`,
      )
    }
    if (fresh !== 0n || changed !== 0n || replaced !== 0n) {
      await session.run(
        `INSERT INTO ${target} (${columnNames}, ${SEQ}) SELECT ${columnNames}, ${readSeq} FROM ${MATCH} WHERE ${isWritten}`,
      )
    }
  } catch (error) {
    throw nameConstraint(error, plan)
  }
  if (table.mode === 'history') return { inserted: Number(fresh) + Number(changed), updated: 0 }
  return { inserted: Number(fresh), updated: Number(changed) }
}
