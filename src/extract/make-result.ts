import type { PlimsollError } from '../kernel/errors.ts'
import { isTimeLike, positionToUs } from '../kernel/moment.ts'
import { runOutcome } from '../kernel/outcome.ts'
import { comparePositions, type Position } from '../kernel/position.ts'
import type { Attempted } from './attempt.ts'
import { sumReceipts } from './receipts.ts'
import type { StreamResult } from './results.ts'
import type { StreamSession } from './stream-session.ts'

/** The result of a run that ended before its fence. */
export function failedResult(stream: string, error: PlimsollError, durationMs: number): StreamResult {
  return {
    stream,
    runId: undefined,
    outcome: 'failed',
    generation: 0,
    watermarkBefore: undefined,
    watermarkAfter: undefined,
    proof: 'assumed',
    proofReason: '',
    heldBecause: undefined,
    fenceBoundBy: undefined,
    counts: sumReceipts([]),
    laneRows: {},
    peekRows: 0,
    billRows: 0,
    newest: undefined,
    newestKnown: false,
    obstacleAhead: undefined,
    watermarkLagUs: undefined,
    eventTimeLagUs: undefined,
    overlap: undefined,
    durationMs,
    said: [],
    alarms: [],
    error,
  }
}

/** What a run answers, from the session as it stands at the close. */
export function streamResult(
  session: StreamSession,
  attempted: Attempted | undefined,
  error: PlimsollError | undefined,
  durationMs: number,
): StreamResult {
  const counts = sumReceipts(session.recorder.sliceReceipts)
  const moved = hasMoved(session.claimAtStart.watermark, session.claim.watermark)
  const landedSomething = moved || counts.rows_read > 0
  const unfinished = attempted ? !attempted.finished : true
  const t0 = attempted?.fenced.fence.t0 ?? ''
  return {
    ...failedResult(session.settings.stream, error!, durationMs),
    runId: session.runId,
    outcome:
      error && !landedSomething
        ? 'failed'
        : runOutcome({ watermarkMoved: moved, rowsRead: counts.rows_read, unfinished }),
    generation: session.claim.generation,
    watermarkBefore: session.claimAtStart.watermark,
    watermarkAfter: session.claim.watermark,
    proof: session.claim.proof,
    proofReason: attempted?.fenced.fence.proofReason ?? '',
    heldBecause: attempted?.fenced.heldBecause,
    fenceBoundBy: attempted?.fenced.fence.heldBecause,
    counts,
    laneRows: attempted?.laneRows ?? {},
    peekRows: attempted?.peekRows ?? 0,
    billRows: session.recorder.billRows,
    newest: attempted?.newest,
    newestKnown: attempted?.newestKnown ?? false,
    obstacleAhead: attempted?.obstacleAhead,
    watermarkLagUs: lag(session, t0, session.claim.watermark),
    eventTimeLagUs: lag(session, t0, attempted?.newest),
    overlap: attempted && {
      amount: String(attempted.fenced.overlap.amount),
      origin: attempted.fenced.overlap.origin,
    },
    said: session.choice.said,
    alarms: session.recorder.alarms,
    error,
  }
}

function hasMoved(before: Position | undefined, after: Position | undefined): boolean {
  if (!after) return false
  return !before || comparePositions(before, after) !== 0
}

/** now − position by the source's clock; only where positions are instants (a wall time has no distance to a clock). */
function lag(session: StreamSession, t0: string, position: Position | undefined): string | undefined {
  const { order } = session.choice
  if (!position || t0 === '' || !isTimeLike(order) || order.kind === 'timestamp' || order.kind === 'date')
    return undefined
  const us = positionToUs(order, position)
  return us === undefined ? undefined : String(BigInt(t0) - us)
}
