import { assert } from '../kernel/assert.ts'
import { PlimsollError } from '../kernel/errors.ts'
import { comparePositions, type Position } from '../kernel/position.ts'
import type { Landing, Removal, StoredClaim } from './destination.ts'

/** A claim row as it stands, and the readSeq that arrived while a smaller one was outstanding (spec E53). */
export interface ClaimRow {
  readonly claim: StoredClaim
  readonly gapSeq: number
}

/** What must hold of a landing whatever stands in the database (spec E56). */
export function checkLanding({ claimBefore, claimAfter, purpose, batchId, table }: Landing): void {
  assert(
    claimBefore.stream === table.stream && claimAfter.stream === table.stream,
    'claims of another stream',
  )
  assert(claimAfter.batch === batchId, `the claim names batch ${claimAfter.batch}, the landing is ${batchId}`)
  assert(claimAfter.generation === claimBefore.generation, 'a landing does not change the generation')
  if (purpose === 'run') assertForward(claimBefore.watermark, claimAfter.watermark)
  else assert(samePosition(claimBefore.watermark, claimAfter.watermark), `${purpose} moves the watermark`)
}

/** Compares the locked row with what the landing was told stands there (spec E56, E60, E63). */
export function checkLocked(
  row: ClaimRow | undefined,
  { claimBefore, epoch }: Pick<Landing, 'claimBefore' | 'epoch'>,
): ClaimRow {
  if (!row) throw claimGone(claimBefore.stream)
  refuseOlder(row.claim, epoch)
  assert(
    row.claim.epoch === epoch,
    `epoch ${epoch} was never written to the claim, which has ${row.claim.epoch}`,
  )
  assert(row.claim.generation === claimBefore.generation, 'the claim is of another generation than expected')
  assert(
    samePosition(row.claim.watermark, claimBefore.watermark),
    `the watermark of ${claimBefore.stream} stands elsewhere than expected`,
  )
  return row
}

/** The locked row must be what the removal was told stands there; the watermark stays (spec A27, A32). */
export function checkRemoval(row: ClaimRow | undefined, removal: Removal): ClaimRow {
  const { claimBefore, claimAfter, batchId } = removal
  assert(claimAfter.batch === batchId, `the claim names batch ${claimAfter.batch}, the removal is ${batchId}`)
  assert(samePosition(claimBefore.watermark, claimAfter.watermark), 'a removal moves no watermark')
  return checkLocked(row, removal)
}

/** What must hold when a claim is written without rows: a raised epoch, a new generation (spec E63, E71). */
export function checkTakeover(
  present: StoredClaim,
  claim: StoredClaim,
  expected: StoredClaim | undefined,
): void {
  refuseOlder(present, claim.epoch)
  if (!expected || !sameClaim(present, expected)) {
    throw new PlimsollError(
      'LEASE_FENCED_OUT',
      `the claim of ${claim.stream} moved while it was taken over`,
      {
        hint: 'Another run wrote it in between. Run again; it starts from the claim that stands there now.',
      },
    )
  }
  assert(claim.generation >= present.generation, 'generations only rise')
  if (claim.generation === present.generation) assertForward(present.watermark, claim.watermark)
}

/** The row that must be there is not. */
export function claimGone(stream: string): PlimsollError {
  return new PlimsollError('DESTINATION_WENT_BACK', `the claim of ${stream} is gone`, {
    hint: 'Was the destination restored, or its table plimsoll_claim emptied? Rewind the stream, or restore the claim.',
  })
}

function refuseOlder(present: StoredClaim, epoch: number): void {
  if (present.epoch <= epoch) return
  throw new PlimsollError(
    'LEASE_FENCED_OUT',
    `epoch ${epoch} of ${present.stream} is over: ${present.epoch} writes`,
    {
      hint: 'Another run took the lease. This one lands nothing more.',
      context: { stream: present.stream, epoch, presentEpoch: present.epoch },
    },
  )
}

function sameClaim(a: StoredClaim, b: StoredClaim): boolean {
  return (
    a.epoch === b.epoch &&
    a.generation === b.generation &&
    a.readSeq === b.readSeq &&
    a.batch === b.batch &&
    samePosition(a.watermark, b.watermark)
  )
}

function samePosition(a: Position | undefined, b: Position | undefined): boolean {
  return a === undefined || b === undefined ? a === b : a.kind === b.kind && a.value === b.value
}

function assertForward(before: Position | undefined, after: Position | undefined): void {
  if (before === undefined) return
  assert(after !== undefined, 'the watermark would vanish')
  assert(
    comparePositions(after, before) >= 0,
    `the watermark would go back to ${after.value} from ${before.value}`,
  )
}
