import { addToCoverage, assertCovers, coverageToJson } from '../kernel/coverage.ts'
import { PlimsollError } from '../kernel/errors.ts'
import type { LedgerEntry } from '../kernel/ledger.ts'
import { comparePositions, type Position, positionToJson } from '../kernel/position.ts'
import { formatPosition, parsePosition } from '../kernel/print.ts'
import { describeError } from './alarms.ts'
import type { Engine } from './engine.ts'
import { writeFacts } from './facts.ts'
import { tellHoles, withHoles } from './holes.ts'
import { openSession } from './open-session.ts'
import { saveMemory } from './progress-state.ts'
import { boundsOf } from './record.ts'
import type { StreamSettings } from './settings.ts'
import type { StreamSession } from './stream-session.ts'
import { type FencedRange, takeFence } from './take-fence.ts'

export interface Skipped {
  readonly before: Position | undefined
  readonly after: Position
  /** How far below `after` the next run begins to read. */
  readonly overlap: string
}

/**
 * Moves the watermark over rows that nobody reads: an explicit hole in the ledger, with person and reason in the
 * record, the claim `assumed` and an alarm until a backfill fills it (spec E14). Throws USAGE, STATE_INVALID.
 */
export async function skipStream(
  engine: Engine,
  settings: StreamSettings,
  to: string,
  by: { readonly person: string; readonly reason: string },
): Promise<Skipped> {
  if (by.reason.trim() === '') throw new PlimsollError('USAGE', 'to skip rows needs a reason')
  const session = await openSession(engine, settings, 'skip')
  const before = session.claimAtStart.watermark
  session.recorder.note({ person: by.person, reason: by.reason })
  const close = (outcome: string) =>
    engine.catalog.closeRun(
      session.runId,
      settings.catalogKey,
      session.recorder.finish(outcome, before, session.claim.watermark),
    )
  try {
    const fenced = await takeFence(session)
    const after = skipPosition(session, fenced, to)
    await openHole(session, after, by.reason)
    await tellHoles(session)
    assertCovers(session.coverage, after)
    await close('skipped')
    return { before, after, overlap: String(fenced.overlap.amount) }
  } catch (error) {
    session.recorder.note({ error: describeError(error) })
    if (error instanceof PlimsollError && error.code !== 'LEASE_FENCED_OUT') await close('failed')
    throw error
  } finally {
    await session.lease.release()
  }
}

/** The claim first, with the hole in it: if this process dies then, the next run finds both. */
async function openHole(session: StreamSession, upper: Position, reason: string): Promise<void> {
  session.lease.assertHeld()
  const { engine, settings, claim } = session
  const range = { lower: claim.watermark, upper }
  const entry: LedgerEntry = {
    stream: settings.catalogKey,
    generation: claim.generation,
    runId: session.runId,
    kind: 'run',
    state: 'hole',
    range,
    proof: 'assumed',
    batchId: '',
    readSeq: claim.readSeq,
    reason,
  }
  const coverage = addToCoverage(session.coverage, entry)
  const facts = writeFacts(withHoles(session.facts, coverage))
  const next = { ...claim, watermark: upper, proof: 'assumed', facts } as const
  await engine.destination.writeClaim(next, claim)
  session.claim = next
  session.coverage = coverage
  await engine.catalog.addRange(entry)
  session.memory = {
    ...session.memory,
    watermark: positionToJson(upper),
    coverage: coverageToJson(coverage),
  }
  await saveMemory(engine, session.lease, session.memory)
  session.recorder.note({ holes: [boundsOf(range)] })
}

function skipPosition(session: StreamSession, { fence, heldBecause }: FencedRange, to: string): Position {
  const { stream } = session.settings
  const { watermark } = session.claim
  const position = parsePosition(session.choice.order, to)
  if (!position) {
    throw new PlimsollError('USAGE', `${to} is no position of ${stream}`, {
      hint: `Write it as the watermark is printed: ${formatPosition(watermark)}.`,
    })
  }
  if (watermark && comparePositions(position, watermark) <= 0) {
    throw new PlimsollError(
      'STATE_INVALID',
      `${stream}: ${formatPosition(position)} lies not above the watermark ${formatPosition(watermark)}`,
      { hint: 'What is skipped begins at the watermark; to read something again: plimsoll backfill.' },
    )
  }
  if (!fence.value || comparePositions(position, fence.value) > 0) {
    throw new PlimsollError(
      'STATE_INVALID',
      `${stream}: ${formatPosition(position)} lies above the fence, ${formatPosition(fence.value)}`,
      {
        hint: `Below it rows may still appear that nobody has skipped${heldBecause ? `: ${heldBecause}` : ''}.`,
      },
    )
  }
  return position
}
