import { isMarked, keyColumns, type LandingPlan, MATCH, planPosition, STAGE } from './landing-plan.ts'
import { nameConstraint } from './refused-row.ts'
import { columnList, differs, SEQ, sameKey } from './target-columns.ts'

/** What the columns of the match table say, beside the row's own: no column of a source may be called so. */
export const ROW_THERE = '"_plimsoll_row"'
export const SEQ_THERE = '"_plimsoll_seq"'
export const POSITION_THERE = '"_plimsoll_there"'
export const POSITION_HERE = '"_plimsoll_here"'
export const DIFFERS = '"_plimsoll_differs"'
export const MATCH_COLUMNS = [ROW_THERE, SEQ_THERE, POSITION_THERE, POSITION_HERE, DIFFERS]

export interface Merged {
  readonly inserted: number
  readonly updated: number
}

/**
 * Joins each staged row with the row of its key at the target, in history mode with its newest version (spec E54). A moved
 * position tells that a row differs, a mark that it came back (A27); only rows that stand at the same position have their other columns fetched, for in a
 * large table that costs more than finding the key.
 */
export async function matchStage(plan: LandingPlan, hasRepeated: boolean): Promise<void> {
  const { session, table, target, columns } = plan
  const keys = keyColumns(plan)
  const once = `(SELECT s.* FROM ${STAGE} s QUALIFY row_number() OVER (PARTITION BY ${columnList(keys, 's')}) = 1)`
  const source = hasRepeated ? once : STAGE
  const position = planPosition(plan, 't')
  const present = table.mode === 'history' ? newestVersions(plan, source) : target
  const [row, seq, there, gone] =
    table.mode === 'history'
      ? ['t.newest.at', 't.newest.seq', 't.newest.place', 't.newest.gone']
      : ['t.rowid', `t.${SEQ}`, position, isMarked(plan, 't')]
  await session.run(
    `CREATE OR REPLACE TEMP TABLE plimsoll_match AS
     SELECT s.*, ${row} AS ${ROW_THERE}, ${seq} AS ${SEQ_THERE}, ${there} AS ${POSITION_THERE},
       ${planPosition(plan, 's')} AS ${POSITION_HERE}, coalesce(${gone}, false) OR ${POSITION_THERE} IS DISTINCT FROM ${POSITION_HERE} AS ${DIFFERS}
     FROM ${source} s LEFT JOIN ${present} t ON ${sameKey(table, columns, 's', 't')}`,
  )
  const isOpen = `m.${ROW_THERE} IS NOT NULL AND NOT m.${DIFFERS}`
  const [open] = await session.row(`SELECT count(*) FROM ${MATCH} m WHERE ${isOpen}`)
  if (open === 0n) return
  await session.run(
    `UPDATE ${MATCH} m SET ${DIFFERS} = true FROM ${target} t
     WHERE ${isOpen} AND t.rowid = m.${ROW_THERE} AND ${differs(columns, 'm', 't')}`,
  )
}

function newestVersions(plan: LandingPlan, source: string): string {
  const { table, target, columns } = plan
  const place = planPosition(plan, 't')
  const version = `{'at': t.rowid, 'seq': t.${SEQ}, 'place': ${place}, 'gone': ${isMarked(plan, 't')}}`
  return `(SELECT ${columnList(keyColumns(plan), 't')}, max_by(${version}, t.${SEQ}) AS newest
    FROM ${target} t SEMI JOIN ${source} s ON ${sameKey(table, columns, 's', 't')} GROUP BY ${columnList(keyColumns(plan), 't')})`
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
