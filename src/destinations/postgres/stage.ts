import { PlimsollError } from '../../kernel/errors.ts'
import { quoteIdentifier } from '../../kernel/sql-text.ts'
import { differs } from './compare-sql.ts'
import { findCulprit } from './culprit.ts'
import { isAboutARow, rowError } from './errors.ts'
import { type LandingPlan, list, planPosition, STAGE } from './landing-plan.ts'
import type { Session } from './sessions.ts'

const RAW = 'pg_temp.plimsoll_raw'
const TAIL_KEYS = 3

/** Where the wire's bytes go: the stage, or a raw one with texts where PostgreSQL does not read them as they are. */
export async function createStage(session: Session, plan: LandingPlan): Promise<string> {
  const isRaw = plan.projected.size > 0
  const columns = plan.table.columns.map(({ name }) => {
    const quoted = quoteIdentifier(name)
    return plan.projected.has(name) ? `NULL::text AS ${quoted}` : `t.${quoted}`
  })
  const name = isRaw ? RAW : STAGE
  await session.query(
    `CREATE TEMP TABLE ${name} ON COMMIT DROP AS SELECT ${columns.join(', ')} FROM ${plan.target} t WITH NO DATA`,
  )
  return name
}

/** Turns raw texts into values; the row and column that cannot be one are named (spec E75). */
export async function projectStage(session: Session, plan: LandingPlan, rowCount: number): Promise<void> {
  if (plan.projected.size === 0) return
  const value = (name: string) => plan.projected.get(name) ?? `r.${quoteIdentifier(name)}`
  const select = (names: readonly string[], source: string) =>
    `CREATE TEMP TABLE ${STAGE} ON COMMIT DROP AS
     SELECT ${names.map((name) => `${value(name)} AS ${quoteIdentifier(name)}`).join(', ')} FROM ${source} r`
  const names = plan.table.columns.map(({ name }) => name)
  await session.query('SAVEPOINT plimsoll_try')
  try {
    await session.query(select(names, RAW))
    await session.query('RELEASE SAVEPOINT plimsoll_try')
  } catch (error) {
    if (!isAboutARow(error)) throw error
    const row = await findCulprit(session, RAW, rowCount, (source) => session.query(select(names, source)))
    if (row === undefined) throw error
    for (const column of plan.projected.keys()) {
      if (await succeeds(session, select([column], row))) continue
      const quoted = [quoteIdentifier(column), ...plan.keys].map((name) => `r.${name}::text`)
      const { rows } = await session.query({
        text: `SELECT ${quoted.join(', ')} FROM ${row} r`,
        rowMode: 'array',
      })
      const [text, ...key] = rows[0] as (string | null)[]
      const message = `column ${column} cannot hold ${text} (key ${JSON.stringify(key)})`
      throw rowError(error, message, { table: plan.table.target.name, column, key, text })
    }
    throw error
  }
}

async function succeeds(session: Session, sql: string): Promise<boolean> {
  const worked = await session.query(sql).then(
    () => true,
    () => false,
  )
  await session.query('ROLLBACK TO SAVEPOINT plimsoll_try')
  return worked
}

export interface StageFacts {
  /** Rows that stood in the stage twice with one content and are now there once. */
  readonly collapsed: number
  /** Order-free, over key and position of every row read. */
  readonly checksum: string
  readonly tailKeys: readonly string[]
}

/** KEY_NULL, KEY_NOT_UNIQUE (spec E53, E55), the checksum and the keys landed last (E58, E60), in two scans. */
export async function checkStage(session: Session, plan: LandingPlan): Promise<StageFacts> {
  const { table, keys } = plan
  const digest = `hashtextextended(ROW(${[...keys, planPosition(plan, 's')].join(', ')})::text COLLATE "C", 0)`
  const nulls = keys.map((key) => `s.${key} IS NULL`).join(' OR ') || 'false'
  const { rows } = await session.query(
    `SELECT coalesce(sum(${digest}), 0)::text AS checksum, count(*) FILTER (WHERE ${nulls})::int AS nulls
     FROM ${STAGE} s`,
  )
  const { checksum, nulls: nullCount } = rows[0]
  if (nullCount > 0 && table.nullKeys === 'refuse') await refuseNull(session, plan, nulls)
  const collapsed = await collapseRepeated(session, plan)
  return { collapsed, checksum: `keys:${checksum}`, tailKeys: await readTailKeys(session, plan) }
}

async function refuseNull(session: Session, plan: LandingPlan, nulls: string): Promise<never> {
  const { rows } = await session.query(
    `SELECT ${keyTexts(plan)} AS key FROM ${STAGE} s WHERE ${nulls} LIMIT 1`,
  )
  const { table } = plan
  throw new PlimsollError('KEY_NULL', `${table.target.name}: a key is NULL: ${JSON.stringify(rows[0].key)}`, {
    hint: 'Fill the key at the source, choose other key columns, or declare `nullKeys: match`.',
    context: { table: table.target.name, columns: table.key, key: rows[0].key },
  })
}

async function collapseRepeated(session: Session, plan: LandingPlan): Promise<number> {
  if (plan.keys.length === 0) return 0
  const group = `GROUP BY ${list(plan.keys)} HAVING count(*) > 1`
  const repeated = await session.query(`SELECT ${list(plan.keys)} FROM ${STAGE} ${group} LIMIT 1`)
  if (repeated.rowCount === 0) return 0
  const sameKey = plan.keys.map((key) => `a.${key} IS NOT DISTINCT FROM b.${key}`).join(' AND ')
  const unequal = await session.query(
    `SELECT ${keyTexts(plan, 'a')} AS key
     FROM (SELECT ${list(plan.keys)} FROM ${STAGE} ${group}) k
     JOIN ${STAGE} a ON ${plan.keys.map((key) => `a.${key} IS NOT DISTINCT FROM k.${key}`).join(' AND ')}
     JOIN ${STAGE} b ON ${sameKey} AND a.ctid < b.ctid
     WHERE ${differs(plan.compared, 'a', 'b')} LIMIT 1`,
  )
  if (unequal.rows[0]) {
    const { key } = unequal.rows[0]
    const { table } = plan
    throw new PlimsollError(
      'KEY_NOT_UNIQUE',
      `${table.target.name}: two rows of one read have the key ${JSON.stringify(key)}`,
      {
        hint: 'Name the columns that identify a row.',
        context: { table: table.target.name, columns: table.key, key },
      },
    )
  }
  const { rowCount } = await session.query(
    `DELETE FROM ${STAGE} WHERE ctid = ANY (ARRAY(SELECT place FROM (
       SELECT ctid AS place, row_number() OVER (PARTITION BY ${list(plan.keys)}) AS n FROM ${STAGE}) numbered WHERE n > 1))`,
  )
  return rowCount ?? 0
}

async function readTailKeys(session: Session, plan: LandingPlan): Promise<string[]> {
  if (plan.keys.length === 0) return []
  const { rows } = await session.query(
    `SELECT ${keyTexts(plan)} AS key FROM ${STAGE} s ORDER BY s.ctid DESC LIMIT ${TAIL_KEYS}`,
  )
  return rows.map(({ key }) => JSON.stringify(key))
}

/** The key of a row as an array of texts, as errors, late rows and tail keys carry it. */
export function keyTexts({ keys }: LandingPlan, alias = 's'): string {
  return `ARRAY[${keys.map((key) => `${alias}.${key}::text`).join(', ')}]::text[]`
}
