import { assert } from '../../kernel/assert.ts'
import { classifyAppend, replaceRange } from './append.ts'
import { classifyStage, touchUnchanged } from './classes.ts'
import { copyIn, sourceRowCount } from './copy-in.ts'
import { copyRefusal } from './copy-refusal.ts'
import { ensureKeyIndex } from './key-index.ts'
import type { LandingStep } from './land.ts'
import { type LandingPlan, list, STAGE } from './landing-plan.ts'
import { mergeStage } from './merge.ts'
import { checkStage, createStage, projectStage } from './stage.ts'
import { notationOf } from './wire-notation.ts'
import { createWireTally } from './wire-tally.ts'
import type { Written } from './written.ts'

/** Below this the planner's guess from the stage's size is good enough. */
const ANALYZE_FROM_ROWS = 10_000

/** Stage, check, count, merge (spec E56). */
export async function landStaged(step: LandingStep, plan: LandingPlan): Promise<Written> {
  const { session, version, landing, hasGap, reach } = step
  const { table, range, classBelow } = landing
  const startedAt = performance.now()
  const { rowsRead, byteSize } = await fillStage(step, plan)
  const { collapsed, checksum, tailKeys } = await checkStage(session, plan)
  await ensureKeyIndex(session, table, version)
  const stagedAt = performance.now()
  await reach('land.staged')

  if (hasGap && !table.appendOnly) await touchUnchanged(session, plan)
  const { classes, lateRows } = table.appendOnly
    ? await classifyAppend(session, plan, rowsRead, range, classBelow)
    : await classifyStage(session, plan, rowsRead, classBelow)
  await reach('land.counted')

  const left = table.appendOnly ? rowsRead : rowsRead - collapsed - classes.reprocessed
  const { inserted, updated } = table.appendOnly
    ? await replaceRange(session, plan, left, range)
    : await mergeStage(session, plan, left)
  await reach('land.merged')
  return {
    rowsRead,
    byteSize,
    inserted,
    updated,
    unchanged: rowsRead - inserted - updated,
    classes,
    lateRows,
    checksum,
    tailKeys: rowsRead === 0 ? undefined : tailKeys,
    stageMs: stagedAt - startedAt,
    mergeMs: performance.now() - stagedAt,
  }
}

async function fillStage(
  { session, landing, opened }: LandingStep,
  plan: LandingPlan,
): Promise<{ rowsRead: number; byteSize: number }> {
  const notation = notationOf(landing.rows.format)
  const tally = createWireTally(notation)
  const stage = await createStage(session, plan)
  const rowsRead = await copyIn(
    session,
    `COPY ${stage} (${list(plan.columns)}) FROM STDIN ${notation.copyOptions}`,
    opened,
    tally,
  ).catch((error: unknown) => {
    throw copyRefusal(error, plan, tally)
  })
  const rowCount = await sourceRowCount(landing.rows)
  assert(rowsRead === rowCount, `the source sent ${rowCount} rows, the destination took ${rowsRead}`)
  await projectStage(session, plan, rowsRead)
  if (rowsRead >= ANALYZE_FROM_ROWS && plan.keys.length > 0) {
    await session.query(`ANALYZE ${STAGE} (${list(plan.keys)})`)
  }
  return { rowsRead, byteSize: tally.byteSize() }
}

/** An empty read moves the claim and touches nothing else (spec E11). */
export async function landNothing({ landing, reach }: LandingStep): Promise<Written> {
  const rowCount = await sourceRowCount(landing.rows)
  assert(rowCount === 0, `the source counted ${rowCount} rows and sent none`)
  await reach('land.staged')
  await reach('land.counted')
  await reach('land.merged')
  return {
    rowsRead: 0,
    byteSize: 0,
    inserted: 0,
    updated: 0,
    unchanged: 0,
    classes: { fresh: 0, late: 0, reprocessed: 0, samePosition: 0, regressed: 0 },
    lateRows: [],
    checksum: 'keys:0',
    tailKeys: undefined,
    stageMs: 0,
    mergeMs: 0,
  }
}
