import type { ReachFailpoint } from '../../kernel/failpoint.ts'
import { classifyAppend, replaceRange } from './append.ts'
import { type Classed, classifyMatch } from './classes.ts'
import { type Database, MAX_THREADS } from './database.ts'
import { countRepeated, refuseNullKeys } from './key-checks.ts'
import { type LandingPlan, STAGE } from './landing-plan.ts'
import { type Merged, matchStage, mergeMatch } from './merge.ts'
import type { OpenedRows } from './pour.ts'
import { readCsvSql } from './read-csv-sql.ts'
import { type Constraint, readConstraints, refuseUnwelcome } from './refused-row.ts'
import { SEQ } from './target-columns.ts'
import { nameValue } from './value-errors.ts'
import { allFresh, EMPTY, summarize, type Written } from './written.ts'

/** Row ids from here up are those of rows that the transaction itself has added: DuckDB's MAX_ROW_ID. */
const OWN_ROWS = '36028797018960000'

export interface WriteStep {
  readonly database: Database
  readonly plan: LandingPlan
  readonly rows: OpenedRows
  readonly reach: ReachFailpoint
}

/** Brings the rows into the target, within the landing's transaction. */
export async function writeRows(step: WriteStep): Promise<Written> {
  const { plan, rows } = step
  const { landing, table } = plan
  if (rows.isEmpty && !table.appendOnly) return writeNothing(step)
  const constraints = await readConstraints(plan)
  const isDirect =
    landing.known === 'nothing_there' &&
    landing.classBelow === undefined &&
    !table.appendOnly &&
    constraints.length === 0
  return isDirect ? writeDirectly(step) : writeStaged(step, constraints)
}

async function writeNothing({ rows, reach }: WriteStep): Promise<Written> {
  const { byteSize } = await rows.pour(async () => 0)
  for (const name of ['land.staged', 'land.counted', 'land.merged'] as const) await reach(name)
  return {
    ...EMPTY,
    byteSize,
    ...nothingMerged,
    classes: allFresh(0),
    lateRows: [],
    tailKeys: undefined,
    stageMs: 0,
    mergeMs: 0,
  }
}

const nothingMerged: Merged = { inserted: 0, updated: 0 }

/** No row can be there: straight from the pipe into the table. */
async function writeDirectly(step: WriteStep): Promise<Written> {
  const { plan, reach } = step
  const started = performance.now()
  const { byteSize } = await pourInto(step, plan.target, [`${plan.readSeq}`, SEQ])
  await reach('land.staged')
  const staged = performance.now()
  const own = `${plan.target} r WHERE r.rowid >= ${OWN_ROWS}`
  await refuseNullKeys(plan, own)
  const summary = await summarize(plan, own)
  await reach('land.counted')
  await reach('land.merged')
  return {
    ...summary,
    byteSize,
    inserted: summary.rowsRead,
    updated: 0,
    classes: allFresh(summary.rowsRead),
    lateRows: [],
    stageMs: staged - started,
    mergeMs: performance.now() - staged,
  }
}

/** Into a temporary table first, compared there, then merged. */
async function writeStaged(step: WriteStep, constraints: readonly Constraint[]): Promise<Written> {
  const { plan, reach } = step
  const { session, columns, table } = plan
  const started = performance.now()
  const definitions = columns.map(({ sql, sqlType }) => `${sql} ${sqlType}`)
  await session.run(`CREATE OR REPLACE TEMP TABLE plimsoll_stage (${definitions.join(', ')})`)
  const { byteSize } = await pourInto(step, STAGE)
  await step.database.useThreads(MAX_THREADS)
  await reach('land.staged')
  const staged = performance.now()
  const summary = await summarize(plan, `${STAGE} r`)
  await refuseNullKeys(plan, `${STAGE} r`)
  await refuseUnwelcome(plan, constraints, STAGE)
  const classed = table.appendOnly
    ? await classifyAppend(plan, summary.rowsRead)
    : await classifyKeyed(plan, summary.rowsRead)
  await reach('land.counted')
  const merged = await (table.appendOnly ? replaceRange(plan) : mergeMatch(plan))
  await reach('land.merged')
  for (const name of ['stage', 'match']) await session.run(`DROP TABLE IF EXISTS temp.plimsoll_${name}`)
  const tailKeys = summary.rowsRead === 0 ? undefined : summary.tailKeys
  const mergeMs = performance.now() - staged
  return { ...summary, tailKeys, byteSize, ...merged, ...classed, stageMs: staged - started, mergeMs }
}

async function classifyKeyed(plan: LandingPlan, rowsRead: number): Promise<Classed> {
  const repeated = await countRepeated(plan, STAGE)
  await matchStage(plan, repeated > 0)
  return classifyMatch(plan, rowsRead)
}

/** Pours all rows into a table; `extra` is a constant beside them and the column for it. */
async function pourInto({ database, plan, rows }: WriteStep, into: string, extra?: [string, string]) {
  const { session, columns, columnNames, table } = plan
  const select = readCsvSql(await database.pipe.path(), columns, table, database.memoryLimitBytes)
  const [value, column] = extra ?? []
  const names = column ? `${columnNames}, ${column}` : columnNames
  const sql = `INSERT INTO ${into} (${names}) SELECT *${value ? `, ${value}` : ''} FROM (${select})`
  await database.useThreads(1)
  return rows.pour(() =>
    session.run(sql).catch((error: unknown) => {
      throw nameValue(error, columns, table)
    }),
  )
}
