import { US_PER_MINUTE, US_PER_SECOND } from '../kernel/calendar.ts'
import type { Fence } from '../kernel/fence.ts'
import { isTimeLike, lowerBound } from '../kernel/moment.ts'
import { decideOverlap, type Overlap } from '../kernel/overlap.ts'
import { comparePositions, minPosition, type Position, positionFromJson } from '../kernel/position.ts'
import type { Range } from '../kernel/range.ts'
import { raise } from './alarms.ts'
import { completenessAtFence } from './completeness.ts'
import type { Debt } from './facts.ts'
import { isMeasured } from './lateness-watch.ts'
import { saveMemory } from './progress-state.ts'
import type { StreamSession } from './stream-session.ts'

/** A fence with what it means for this stream: the range to read, or why the watermark stands. */
export interface FencedRange {
  readonly fence: Fence
  /** Absent when held: `F ≤ W`, or no bound at all (spec E12). */
  readonly range: Range | undefined
  readonly heldBecause: string | undefined
  readonly overlap: Overlap
  /** The least bound of the decrees in force: from here up the claim rests on them (spec E38). */
  readonly decreedFrom: Position | undefined
}

/** Takes the fence, remembers its decrees before any claim relies on them, and derives the range (spec E13, E37–E39). */
export async function takeFence(session: StreamSession): Promise<FencedRange> {
  const { engine, settings } = session
  const contradicted = session.memory.contradicted
  const lateness = await engine.lateness?.known(session)
  const fence = await engine.source.fence({
    shape: session.shape,
    order: contradicted ? { ...session.choice.order, stampedBy: 'unknown' } : session.choice.order,
    policy: { ...settings.fence, appendOnly: settings.appendOnly },
    outstandingDecrees: session.memory.debts.map(({ key, bound }) => ({ key, bound: bound.value })),
    latenessMeasured: isMeasured(session, lateness),
  })
  session.recorder.fence(fence)
  await rememberFence(session, fence)
  await engine.reach('fence.recorded')
  engine.emit({ kind: 'fence', stream: settings.stream, fence })
  await raiseHolding(session, fence)
  const clockBack = await noteClock(session, fence)
  const overlap = decideOverlap(
    session.choice.order,
    settings.overlap,
    fence.proof,
    lateness,
    BigInt(session.memory.extraOverlap),
  )
  const said = session.facts.completeness
  if (said) {
    const completeness = completenessAtFence(said, session.choice.order, fence, overlap)
    session.facts = { ...session.facts, completeness }
  }
  const heldBecause = clockBack ?? heldReason(session, fence)
  const range = heldBecause === undefined ? rangeBelow(session, fence.value!, overlap) : undefined
  return { fence, range, heldBecause, overlap, decreedFrom: decreedFrom(session, fence) }
}

/** `[W − m, F)`, or everything below F in a generation's first range (spec E13). */
export function rangeBelow(
  session: Pick<StreamSession, 'claim' | 'choice'>,
  upper: Position,
  overlap: Overlap,
): Range {
  const watermark = session.claim.watermark
  return { lower: watermark ? lowerBound(session.choice.order, watermark, overlap.amount) : undefined, upper }
}

function decreedFrom(session: StreamSession, fence: Fence): Position | undefined {
  const bounds = session.memory.debts
    .filter((debt) => !fence.settledDecrees.includes(debt.key))
    .map((debt) => positionFromJson(debt.bound))
  return bounds.length === 0 ? undefined : bounds.reduce(minPosition)
}

function heldReason(session: StreamSession, fence: Fence): string | undefined {
  if (fence.value === undefined) return fence.heldBecause ?? 'the source can give no bound yet'
  const watermark = session.claim.watermark
  if (!watermark || comparePositions(fence.value, watermark) > 0) return undefined
  if (fence.heldBecause) return fence.heldBecause
  const undeclared = session.settings.position?.grain === undefined
  const coarse = isTimeLike(session.choice.order) && session.choice.order.grain >= US_PER_MINUTE && undeclared
  const why = coarse
    ? `; it moves in steps of ${session.choice.order.grain / US_PER_SECOND} s until finer stamps are seen or a grain is declared`
    : ''
  return `the fence has not passed the watermark yet${why}`
}

async function rememberFence(session: StreamSession, fence: Fence): Promise<void> {
  const known = new Set(session.memory.debts.map((debt) => debt.key))
  const fresh: Debt[] = fence.decrees
    .filter((decree) => !known.has(decree.key))
    .map((decree) => ({ key: decree.key, bound: decree.bound, since: fence.t0 }))
  session.facts = { ...session.facts, t0: fence.t0 || session.facts.t0 }
  if (fresh.length === 0) return
  for (const debt of fresh) await recordDecree(session, debt, fence)
  session.memory = { ...session.memory, debts: [...session.memory.debts, ...fresh] }
  await saveMemory(session.engine, session.lease, session.memory)
  for (const debt of fresh) {
    await raise(
      session,
      'fence_decreed',
      `the fence passed over ${debt.key} after holdMax; rows it still commits are read again once it is gone`,
      debt.bound.value,
    )
  }
  await session.engine.reach('decree.recorded')
}

/** A decree stands in the chain of its own, so that it is known even if this run dies (spec E38, A57). */
async function recordDecree(session: StreamSession, debt: Debt, fence: Fence): Promise<void> {
  await session.engine.catalog.appendRecord(session.settings.catalogKey, {
    kind: 'decree',
    run: session.runId,
    generation: session.claim.generation,
    key: debt.key,
    position_kind: debt.bound.kind,
    lower: debt.bound.value,
    upper: null,
    blocker: fence.decrees.find(({ key }) => key === debt.key)?.blocker ?? null,
    fence_taken_us: fence.t0,
    opened_us: String(session.engine.catalog.nowUs()),
  })
}

/** So many times holdAlarm make a page of a notice (assurance A59). */
const PAGE_AFTER = 6

async function raiseHolding(session: StreamSession, fence: Fence): Promise<void> {
  const { engine, settings } = session
  const blocker = fence.witnesses[0]
  const ageMs = Number(BigInt(blocker?.transactionAgeUs ?? '0') / 1000n)
  if (blocker && ageMs > settings.limits.holdAlarmMs) {
    const who = [`pid ${blocker.pid ?? '?'}`, blocker.user, blocker.application, blocker.state]
      .filter(Boolean)
      .join(', ')
    const isLong = ageMs > PAGE_AFTER * settings.limits.holdAlarmMs
    await raise(
      session,
      'fence_held',
      `a transaction open for ${Math.round(ageMs / 1000)} s holds the fence: ${who}`,
      JSON.stringify(blocker),
      isLong ? 'page' : 'notice',
    )
  } else if (!blocker || ageMs <= settings.fence.fenceFreshMs)
    await engine.catalog.resolveAlarm(settings.catalogKey, 'fence_held')
}

/** A clock that stepped back holds the watermark and widens the next overlap by the step (spec E23). */
async function noteClock(session: StreamSession, fence: Fence): Promise<string | undefined> {
  const seen = BigInt(fence.clockStepUs)
  const forgotten = stepSinceClaim(session, fence)
  const step = seen > forgotten ? seen : forgotten
  if (step <= 0n) return undefined
  const extraOverlap = String(BigInt(session.memory.extraOverlap) + step)
  session.memory = { ...session.memory, extraOverlap }
  await saveMemory(session.engine, session.lease, session.memory)
  await raise(
    session,
    'clock_stepped_back',
    `the source's clock stepped back by ${step} µs; the next range begins that much lower`,
  )
  return `the source's clock stepped back by ${step} µs`
}

/** With a lost catalog the source's own memory of its clock is gone too; only a clock below the claim's shows then. */
function stepSinceClaim(session: StreamSession, fence: Fence): bigint {
  const before = session.clockBefore
  session.clockBefore = undefined
  if (!before || !fence.t0 || !isTimeLike(session.choice.order)) return 0n
  const step = BigInt(before) - BigInt(fence.t0)
  return step > BigInt(fence.guardUs) ? step : 0n
}
