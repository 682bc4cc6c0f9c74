import { PlimsollError } from '../kernel/errors.ts'
import type { Position } from '../kernel/position.ts'
import { checkPlan } from './check-plan.ts'
import { claimInstant } from './claim-instant.ts'
import { deliverLanes, peek } from './deliver-aside.ts'
import { payBills } from './pay-bills.ts'
import { saveMemory } from './progress-state.ts'
import { isIndexed, isSmall, readSlices } from './read-slices.ts'
import { createReaderPool, type ReaderPool } from './reader-pool.ts'
import { checkReceipt } from './receipt-check.ts'
import type { StreamSession } from './stream-session.ts'
import { type FencedRange, rangeBelow, takeFence } from './take-fence.ts'

/** What one pass over the stream did. */
export interface Attempted {
  readonly fenced: FencedRange
  /** All slices of the range were landed. */
  readonly finished: boolean
  readonly laneRows: Readonly<Record<string, number>>
  readonly peekRows: number
  readonly newest: Position | undefined
  /** The newest position was looked up; where no index serves, that would scan a large table. */
  readonly newestKnown: boolean
  /** What the next run will stop at, with its remedy (spec E51). */
  readonly obstacleAhead: string | undefined
}

/** Fence first, then the snapshot, then land and claim together: what is owed, the range, lanes and peek (spec E9). */
export async function attempt(session: StreamSession): Promise<Attempted> {
  const { engine } = session
  const early =
    engine.mistake === 'fence_after_snapshot' ? createReaderPool(session, undefined, '') : undefined
  await early?.current()
  const startedMs = engine.clock.nowMs()
  const fenced = await applyMistakes(session, await takeFence(session))
  session.recorder.time('fence', engine.clock.nowMs() - startedMs)
  let obstacleAhead: string | undefined
  if (fenced.range) {
    session.recorder.range(fenced.range, fenced.overlap, session.claim.watermark)
    const { expectedRows, obstacle } = await checkPlan(session, fenced.fence, fenced.range)
    obstacleAhead = obstacle
    engine.emit({ kind: 'range', stream: session.settings.stream, range: fenced.range, expectedRows })
  } else await claimInstant(session)
  const readers = early ?? createReaderPool(session, fenced.fence.logPosition, fenced.fence.t0)
  try {
    const behind = await replicaBehind(readers)
    if (behind) return { ...NOTHING, fenced: { ...fenced, range: undefined, heldBecause: behind } }
    if (!engine.signal?.aborted) await payBills(session, readers, fenced)
    const first = await readers.current()
    const finished = fenced.range ? await readSlices(session, readers, fenced, fenced.range) : true
    const numbered = await readers.current()
    const isOneSnapshot = numbered === first && finished
    if (fenced.range && isOneSnapshot) await checkReceipt(session, numbered, fenced.range)
    const stopped = engine.signal?.aborted ?? false
    const laneRows = stopped ? {} : await deliverLanes(session, numbered)
    const from = fenced.range?.upper ?? session.claim.watermark
    const peekRows = stopped || !from ? 0 : await peek(session, numbered, from)
    const newestKnown = !stopped && (isIndexed(session) || isSmall(session))
    const newest = newestKnown ? await numbered.reader.newest() : undefined
    if (finished && fenced.range) await spendExtraOverlap(session)
    return { fenced, finished, laneRows, peekRows, newest, newestKnown, obstacleAhead }
  } finally {
    await readers.close()
  }
}

const NOTHING = {
  finished: true,
  laneRows: {},
  peekRows: 0,
  newest: undefined,
  newestKnown: false,
  obstacleAhead: undefined,
}

/** Opens the first snapshot; a replica that has not replayed up to the fence holds the run, it is no failure (spec E29). */
async function replicaBehind(readers: ReaderPool): Promise<string | undefined> {
  try {
    await readers.current()
    return undefined
  } catch (error) {
    if (error instanceof PlimsollError && error.code === 'REPLICA_BEHIND') return error.message
    throw error
  }
}

/** The wider overlap was asked for once; the range that used it has landed. */
async function spendExtraOverlap(session: StreamSession): Promise<void> {
  if (session.memory.extraOverlap === '0') return
  session.memory = { ...session.memory, extraOverlap: '0' }
  await saveMemory(session.engine, session.lease, session.memory)
}

/** The simulation's deliberate mistakes: proof that it would find them. No effect otherwise. */
async function applyMistakes(session: StreamSession, fenced: FencedRange): Promise<FencedRange> {
  const { mistake } = session.engine
  if (mistake === 'closed_upper_bound' && fenced.range && fenced.range.upper.kind !== 'text') {
    const upper = { ...fenced.range.upper, value: fenced.range.upper.value + session.choice.order.tick }
    return { ...fenced, range: { ...fenced.range, upper } }
  }
  if (mistake !== 'claim_largest_read') return fenced
  const pool = createReaderPool(session, fenced.fence.logPosition, fenced.fence.t0)
  const largest = await (await pool.current()).reader.newest()
  await pool.close()
  return { ...fenced, heldBecause: undefined, range: largest && rangeBelow(session, largest, fenced.overlap) }
}
