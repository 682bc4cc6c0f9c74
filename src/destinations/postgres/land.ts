import { assert } from '../../kernel/assert.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import type { ReachFailpoint } from '../../kernel/failpoint.ts'
import { positionToJson } from '../../kernel/position.ts'
import { type ClaimRow, checkLanding, checkLocked } from '../claim-checks.ts'
import type { Landing, Receipt } from '../destination.ts'
import { lockClaim, moveClaim } from './claim-rows.ts'
import { type OpenedRows, openRows } from './copy-in.ts'
import { lostConnection } from './errors.ts'
import { canLandDirectly, landDirectly } from './land-directly.ts'
import { landNothing, landStaged } from './land-staged.ts'
import { planLanding } from './landing-plan.ts'
import { rollBack, type Session, type Sessions } from './sessions.ts'
import { readTableFacts } from './table-facts.ts'
import type { Written } from './written.ts'

export interface LandContext {
  readonly reach: ReachFailpoint
  readonly destinationId: string
}

/**
 * One landing in one transaction (spec E56): lock the claim row, compare, bring the rows in, count, merge, move the
 * claim, commit. The receipt is written beside the claim, so that it is found when the reply to COMMIT is lost (E59).
 */
export async function land(sessions: Sessions, landing: Landing, context: LandContext): Promise<Receipt> {
  checkLanding(landing)
  try {
    // No lock is held while the source thinks about its first row.
    const opened = await openRows(landing.rows)
    return await sessions.use((session) =>
      landOn(session, sessions.versionNumber(), landing, opened, context),
    )
  } catch (error) {
    await landing.rows.cancel().catch(() => {})
    throw error
  }
}

async function landOn(
  session: Session,
  version: number,
  landing: Landing,
  opened: OpenedRows,
  { reach, destinationId }: LandContext,
): Promise<Receipt> {
  await session.query('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE')
  try {
    const row = checkLocked(await lockClaim(session, landing.table.stream), landing)
    const hasGap = leavesGap(row, landing.readSeq)
    const written = await writeRows({ session, version, landing, opened, hasGap, reach })
    const receipt = receiptFor(landing, written, destinationId)
    await moveClaim(session, {
      claim: landing.claimAfter,
      tailKeys: written.tailKeys ?? row.claim.tailKeys,
      receipt,
      gapSeq: hasGap ? landing.readSeq : row.gapSeq,
    })
    await reach('land.claim_written')
    await reach('land.commit_sent')
    const sentAt = performance.now()
    await commit(session, landing.batchId)
    const commitMs = performance.now() - sentAt
    await reach('land.committed')
    return { ...receipt, commitMs }
  } catch (error) {
    await rollBack(session)
    throw error
  }
}

export interface LandingStep {
  readonly session: Session
  readonly version: number
  readonly landing: Landing
  readonly opened: OpenedRows
  /** A smaller readSeq may still land (spec E53). */
  readonly hasGap: boolean
  readonly reach: ReachFailpoint
}

async function writeRows(step: LandingStep): Promise<Written> {
  const { session, landing, opened } = step
  const { table } = landing
  // Without a key even an empty read replaces its range.
  if (opened.isEmpty && !(table.appendOnly && landing.known === 'anything')) return landNothing(step)
  const facts = await readTableFacts(session, table.target)
  assert(facts, `the target of ${table.stream} is gone: it was not prepared`)
  const plan = planLanding(landing, facts)
  return canLandDirectly(plan, landing) ? landDirectly(step, plan) : landStaged(step, plan)
}

/** Whether readSeqs between the claim's and this one are missing, now or when this snapshot's first slice landed. */
function leavesGap({ claim, gapSeq }: ClaimRow, readSeq: number): boolean {
  return readSeq > claim.readSeq + 1 || readSeq === gapSeq
}

function receiptFor(landing: Landing, written: Written, destinationId: string): Receipt {
  const { table, batchId, readSeq, claimBefore, claimAfter } = landing
  const { tailKeys: _, ...counts } = written
  return {
    batchId,
    stream: table.stream,
    generation: claimAfter.generation,
    readSeq,
    ...counts,
    durability: 'committed',
    claimBefore: claimBefore.watermark ? positionToJson(claimBefore.watermark) : null,
    claimAfter: claimAfter.watermark ? positionToJson(claimAfter.watermark) : null,
    destinationId,
    commitMs: 0,
  }
}

async function commit(session: Session, batchId: string): Promise<void> {
  try {
    const { command } = await session.query('COMMIT')
    assert(command === 'COMMIT', `the server answered COMMIT with ${command}`)
  } catch (error) {
    if (!lostConnection(error)) throw error
    throw new PlimsollError('DESTINATION_UNAVAILABLE', 'the reply to COMMIT was lost', {
      hint: 'The batch is looked for by its id; if it is not there, the slice is read again.',
      cause: error,
      context: { batchId, commit: 'unknown' },
    })
  }
}
