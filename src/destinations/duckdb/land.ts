import type { ReachFailpoint } from '../../kernel/failpoint.ts'
import { positionToJson } from '../../kernel/position.ts'
import { type ClaimRow, checkLanding, checkLocked } from '../claim-checks.ts'
import type { Landing, Receipt } from '../destination.ts'
import { lockClaim, moveClaim } from './claim-rows.ts'
import type { Database } from './database.ts'
import { hasMarks } from './has-marks.ts'
import { planLanding } from './landing-plan.ts'
import { type OpenedRows, openRows } from './pour.ts'
import { writeRows } from './write-rows.ts'
import type { Written } from './written.ts'

export interface LandContext {
  readonly reach: ReachFailpoint
  readonly destinationId: string
}

/**
 * One landing in one transaction (spec E56): update the claim row, compare, bring the rows in, count, merge, move the
 * claim, commit. The receipt is written beside the claim, so that it is found when the reply is lost (E59).
 */
export async function land(database: Database, landing: Landing, context: LandContext): Promise<Receipt> {
  checkLanding(landing)
  try {
    const rows = await openRows(landing.rows, database)
    return await database.writing.run(() => landOpened(database, landing, rows, context))
  } catch (error) {
    await landing.rows.cancel().catch(() => {})
    throw error
  }
}

async function landOpened(
  database: Database,
  landing: Landing,
  rows: OpenedRows,
  { reach, destinationId }: LandContext,
): Promise<Receipt> {
  const { writer } = database
  await writer.run('BEGIN')
  try {
    const row = checkLocked(await lockClaim(writer, landing.table.stream), landing)
    const hasGap = leavesGap(row, landing.readSeq)
    const marks = (await hasMarks(writer, landing.table.target)) ?? false
    const plan = planLanding(database, landing, hasGap, marks)
    const written = await writeRows({ database, plan, rows, reach })
    const started = performance.now()
    const receipt = receiptOf(landing, written, destinationId)
    const tailKeys = written.tailKeys ?? row.claim.tailKeys
    await moveClaim(
      writer,
      { ...landing.claimAfter, tailKeys },
      hasGap ? landing.readSeq : row.gapSeq,
      receipt,
    )
    await reach('land.claim_written')
    await reach('land.commit_sent')
    await writer.run('COMMIT')
    await reach('land.committed')
    return { ...receipt, commitMs: performance.now() - started }
  } catch (error) {
    await writer.rollBack()
    throw error
  }
}

/** Whether a read with a smaller readSeq is outstanding; all slices of one read find the same (spec E53). */
function leavesGap({ claim, gapSeq }: ClaimRow, readSeq: number): boolean {
  return readSeq > claim.readSeq + 1 || readSeq === gapSeq
}

function receiptOf(
  { table, batchId, readSeq, claimBefore, claimAfter }: Landing,
  written: Written,
  destinationId: string,
): Receipt {
  const { rowsRead, byteSize, inserted, updated, classes, lateRows, checksum, stageMs, mergeMs } = written
  return {
    batchId,
    stream: table.stream,
    generation: claimAfter.generation,
    readSeq,
    rowsRead,
    byteSize,
    inserted,
    updated,
    unchanged: rowsRead - inserted - updated,
    classes,
    lateRows,
    checksum,
    durability: 'committed',
    claimBefore: claimBefore.watermark ? positionToJson(claimBefore.watermark) : null,
    claimAfter: claimAfter.watermark ? positionToJson(claimAfter.watermark) : null,
    destinationId,
    stageMs,
    mergeMs,
    commitMs: 0,
  }
}
