import { isExact, keyMatches } from './compare-sql.ts'
import { findCulprit } from './culprit.ts'
import { isAboutARow, rowError } from './errors.ts'
import {
  DELETED,
  hasMarks,
  isChanged,
  joinPresent,
  type LandingPlan,
  list,
  SEQ,
  STAGE,
} from './landing-plan.ts'
import type { Session } from './sessions.ts'
import { keyTexts } from './stage.ts'

export interface Merged {
  readonly inserted: number
  readonly updated: number
}

/** Writes the staged rows: one row a key, or a row for each version that differs (spec E53, E54). */
export async function mergeStage(session: Session, plan: LandingPlan, rowCount: number): Promise<Merged> {
  return writeOrName(session, plan, rowCount, async (source) => {
    const { rows } = await session.query(mergeSql(plan, source))
    return { inserted: Number(rows[0].inserted), updated: Number(rows[0].updated) }
  })
}

/** Runs a statement over the stage; when the target refuses a row, finds it and names its key (STATE-2). */
export async function writeOrName<T>(
  session: Session,
  plan: LandingPlan,
  rowCount: number,
  write: (source: string) => Promise<T>,
): Promise<T> {
  await session.query('SAVEPOINT plimsoll_try')
  try {
    return await write(STAGE)
  } catch (error) {
    if (!isAboutARow(error)) throw error
    const culprit = await findCulprit(session, STAGE, rowCount, write)
    if (culprit === undefined) throw error
    const { rows } = await session.query(`SELECT ${keyTexts(plan)} AS key FROM ${culprit} s`)
    const { key } = rows[0]
    const message = `${plan.table.target.name} refused the row with key ${JSON.stringify(key)}: ${error.message}`
    throw rowError(error, message, { table: plan.table.target.name, column: error.column, key })
  }
}

function mergeSql(plan: LandingPlan, source: string): string {
  if (plan.table.mode === 'history') return historySql(plan, source)
  const needsHalves = plan.table.nullKeys === 'match' || plan.facts.kind === 'p'
  return needsHalves ? halvesSql(plan, source) : upsertSql(plan, source)
}

function upsertSql(plan: LandingPlan, source: string): string {
  const { target, columns, keys, readSeq } = plan
  return `WITH merged AS (
    INSERT INTO ${target} AS t (${list(columns)}, ${SEQ}) SELECT ${list(columns, 's')}, ${readSeq} FROM ${source} s
    ON CONFLICT (${list(keys)}) DO UPDATE SET ${assignments(plan, 'excluded')}
    WHERE t.${SEQ} <= excluded.${SEQ} AND ${isChanged(plan, 't', 'excluded')}
    RETURNING t.xmax = 0 AS inserted)
  ${COUNT_BOTH}`
}

/**
 * The two halves of an upsert written out: ON CONFLICT takes no NULL for a value before PostgreSQL 15, and a partitioned
 * table does not tell which rows were there (`xmax`).
 */
function halvesSql(plan: LandingPlan, source: string): string {
  const { table, target, columns, readSeq } = plan
  const match = keyMatches(table, 't', 's')
  return `WITH updated AS (
    UPDATE ${target} t SET ${assignments(plan, 's')} FROM ${source} s
    WHERE ${match} AND t.${SEQ} <= ${readSeq} AND ${isChanged(plan, 't', 's')} RETURNING 1),
  inserted AS (
    INSERT INTO ${target} (${list(columns)}, ${SEQ}) SELECT ${list(columns, 's')}, ${readSeq} FROM ${source} s
    WHERE NOT EXISTS (SELECT FROM ${target} t WHERE ${match}) RETURNING 1)
  SELECT (SELECT count(*) FROM inserted) AS inserted, (SELECT count(*) FROM updated) AS updated`
}

function historySql(plan: LandingPlan, source: string): string {
  const { target, columns, readSeq } = plan
  return `WITH merged AS (
    INSERT INTO ${target} (${list(columns)}, ${SEQ}) SELECT ${list(columns, 's')}, ${readSeq}
    FROM ${source} s ${joinPresent(plan, 'LEFT JOIN')}
    WHERE t.${SEQ} IS NULL OR (t.${SEQ} < ${readSeq} AND ${isChanged(plan, 't', 's')})
    RETURNING true AS inserted)
  ${COUNT_BOTH}`
}

const COUNT_BOTH = `SELECT count(*) FILTER (WHERE inserted) AS inserted, count(*) FILTER (WHERE NOT inserted) AS updated
  FROM merged`

/** Keys are written as well where two of them can match and print differently (1.0 and 1.00). */
function assignments(plan: LandingPlan, from: string): string {
  const { table, columns, compared, readSeq } = plan
  const ours = [`${SEQ} = ${readSeq}`, ...(hasMarks(plan) ? [`${DELETED} = NULL`] : [])]
  const written = columns.filter((_, i) => !table.key.includes(compared[i]!.name) || !isExact(compared[i]!))
  return [...written.map((column) => `${column} = ${from}.${column}`), ...ours].join(', ')
}
