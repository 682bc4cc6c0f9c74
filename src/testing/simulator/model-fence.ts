import { floorTo } from '../../kernel/arithmetic.ts'
import type { ReachFailpoint } from '../../kernel/failpoint.ts'
import type { Decree, Fence, LogPosition, Witness } from '../../kernel/fence.ts'
import type { Position } from '../../kernel/position.ts'
import type { Bound } from '../../kernel/sampling/bound.ts'
import { type ClockReading, clockStepUs } from '../../kernel/sampling/clock-watch.ts'
import {
  type Blocker,
  forgetPaid,
  type HoldAnswer,
  type HoldMemory,
  NO_DECREES,
  settledDecrees,
  weighBlockers,
} from '../../kernel/sampling/holding.ts'
import { type LockView, observeLocks } from '../../kernel/sampling/lock-view.ts'
import { judgeProof } from '../../kernel/sampling/proof-level.ts'
import { observeSessions, type SessionView } from '../../kernel/sampling/session-view.ts'
import {
  holdMemoryFromJson,
  holdMemoryToJson,
  lockViewFromJson,
  lockViewToJson,
  sessionViewFromJson,
  sessionViewToJson,
} from '../../kernel/sampling/view-json.ts'
import type { ConnectorMemory, FenceRequest } from '../../sources/source.ts'
import type { ModelDatabase } from './model-database.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** What a fence is computed from; `pause` lets writers work between two lists, for no two are read at one instant. */
export interface FenceMeans {
  readonly database: ModelDatabase
  readonly clock: VirtualClock
  readonly memory: ConnectorMemory
  readonly reach: ReachFailpoint
  readonly pause: () => void
  readonly sleep: (ms: number) => Promise<void>
  readonly prepareIgnored: boolean
  readonly logPosition: () => LogPosition
  /** What this process remembers of its last look: with it a step of the clock is measured exactly (spec E23). */
  readonly ownReading: OwnReading
}

export interface OwnReading {
  last: ClockReading | undefined
}

/** P1 looks at sessions (spec E24, E26), P2 at locks (E27); both through the kernel's own machines. */
export async function clockFence(
  means: FenceMeans,
  request: FenceRequest,
  method: 'P1' | 'P2',
): Promise<Fence> {
  const { clock, memory } = means
  const { policy, order } = request
  const guardUs = BigInt(policy.guardMs) * 1000n
  const startedUs = clock.trueUs()
  const remembered = await recall(memory)
  let { session, locks } = remembered
  let reading = means.ownReading.last ?? remembered.reading
  let hold: HoldMemory = remembered.hold
  let stepUs = 0n
  const outstanding = request.outstandingDecrees.map((decree) => decree.key)
  for (let sampleCount = 1; ; sampleCount++) {
    const look = await lookAt(means)
    const step = clockStepUs(reading, look.reading, guardUs)
    stepUs += step
    reading = look.reading
    means.ownReading.last = reading
    const t0 = look.reading.t0
    let known: Known
    const fresh = look.prepared.some((key) => !(session?.prepared ?? locks?.prepared)?.has(key))
    if (method === 'P1') {
      const starts = look.open.map((each) => each.startUs)
      session = observeSessions(session, { t0, starts, prepared: look.prepared, steppedBackUs: step })
      known = sessionBlockers(look, session)
    } else {
      const open = look.open.map((each) => each.virtualId)
      locks = observeLocks(locks, { clock: t0, open, prepared: look.prepared, steppedBack: step })
      known = { open: blockersOf(locks.open), prepared: blockersOf(locks.prepared) }
    }
    const answer: HoldAnswer = weighBlockers({
      nowUs: t0,
      ceiling: t0,
      blockers: [...known.open, ...known.prepared],
      holdMaxUs: policy.holdMaxMs === 'never' ? undefined : BigInt(policy.holdMaxMs) * 1000n,
      outstanding,
      memory: hold,
    })
    hold = answer.memory
    const settled = settledDecrees({
      outstanding,
      isThere: (key) => [...known.open, ...known.prepared].some((each) => each.key === key),
      mayBeRenamed: (key) => !isPreparedKey(key),
      prepared: known.prepared.map((each) => each.bound),
      memory: hold,
    })
    const lag = answer.value === undefined ? undefined : t0 - answer.value + guardUs
    const waitedUs = clock.trueUs() - startedUs
    const good =
      method === 'P1'
        ? !fresh && lag !== undefined
        : lag !== undefined && lag <= BigInt(policy.fenceFreshMs) * 1000n
    if (!good && waitedUs < BigInt(policy.fenceWaitMs) * 1000n) {
      await means.sleep(policy.fenceSampleMs)
      continue
    }
    const value = answer.value === undefined ? undefined : floorTo(answer.value - guardUs, order.grain)
    const keep = new Set([...outstanding, ...answer.passedOver.map((each) => each.key)])
    await remember(memory, { reading, session, locks, hold: forgetPaid(hold, keep) })
    return {
      ...fenceOf(request, method, answer.passedOver, position(value)),
      t0: String(t0),
      guardUs: String(guardUs),
      witnesses: answer.binding ? [witness(answer.binding)] : [],
      prepared: known.prepared.slice(0, 20).map(witness),
      settledDecrees: settled,
      logPosition: look.logPosition,
      sampleCount,
      waitedUs: String(waitedUs),
      heldBecause: value === undefined ? 'a prepared transaction was there before the first look' : undefined,
      clockStepUs: String(stepUs),
    }
  }
}

/** P3: the least transaction id in progress, prepared ones included, in one snapshot (spec E28). */
export async function xidFence(means: FenceMeans, request: FenceRequest): Promise<Fence> {
  const value = means.database.snapshotXmin()
  await means.reach('fence.listed')
  return {
    ...fenceOf(request, 'P3', [], { kind: 'xid8', value }),
    t0: String(means.clock.sourceUs()),
    logPosition: means.logPosition(),
  }
}

function fenceOf(
  request: FenceRequest,
  method: 'P1' | 'P2' | 'P3',
  passedOver: readonly Blocker[],
  value: Position | undefined,
): Omit<Fence, 't0' | 'logPosition'> {
  const decreed = passedOver.filter((each) => each.bound !== undefined)
  const known = { method, stampedBy: request.order.stampedBy, latenessMeasured: false }
  const { proof, reason } = judgeProof({ ...known, decreeCount: decreed.length })
  return {
    method,
    value,
    guardUs: '0',
    proof,
    ...(decreed.length > 0 ? { proofBelowDecrees: judgeProof(known).proof } : {}),
    proofReason: reason,
    witnesses: [],
    prepared: [],
    excluded: [],
    decrees: decreed.map((each) => decreeOf(request, each)),
    settledDecrees: [],
    sampleCount: 1,
    waitedUs: '0',
    heldBecause: undefined,
    clockStepUs: '0',
    grain: String(request.order.grain),
  }
}

/** The bill is read from the blocker's bound, guard and grain included. */
function decreeOf(request: FenceRequest, blocker: Blocker): Decree {
  const guardUs = BigInt(request.policy.guardMs) * 1000n
  const bound = floorTo((blocker.bound ?? 0n) - guardUs, request.order.grain)
  return { key: blocker.key, bound: { kind: 'timestamptz', value: String(bound) }, blocker: witness(blocker) }
}

const position = (value: bigint | undefined): Position | undefined =>
  value === undefined ? undefined : { kind: 'timestamptz', value }

const witness = ({ key, bound }: Blocker): Witness =>
  bound === undefined ? { key } : { key, bound: String(bound) }

/** A prepared transaction is named `transaction/gid`, an open one `backend/number`. */
const isPreparedKey = (key: string): boolean => key.includes('/g')

interface Known {
  readonly open: readonly Blocker[]
  readonly prepared: readonly Blocker[]
}

interface Look {
  readonly reading: ClockReading
  readonly open: readonly { virtualId: string; pid: number; startUs: bigint }[]
  readonly prepared: readonly string[]
  readonly logPosition: LogPosition
}

/** The clock first, then the sessions, then the prepared transactions, then the log: four looks, never one instant. */
async function lookAt(means: FenceMeans): Promise<Look> {
  const { clock, database } = means
  const beforeUs = clock.trueUs()
  const t0 = clock.sourceUs()
  const reading = { t0, monotonic: { beforeUs, afterUs: clock.trueUs() } }
  await means.reach('fence.clock_read')
  const open = database.published()
  means.pause()
  const prepared = means.prepareIgnored ? [] : [...database.prepared].map((each) => each.preparedKey!)
  await means.reach('fence.listed')
  return { reading, open, prepared, logPosition: means.logPosition() }
}

function sessionBlockers(look: Look, view: SessionView): Known {
  return {
    open: look.open.map(({ virtualId, startUs }) => ({ key: virtualId, bound: startUs, sinceUs: startUs })),
    prepared: blockersOf(view.prepared),
  }
}

function blockersOf(bounds: ReadonlyMap<string, Bound>): Blocker[] {
  return [...bounds].map(([key, bound]) => ({ key, bound, sinceUs: bound }))
}

interface SamplerMemory {
  readonly reading: ClockReading | undefined
  readonly session: SessionView | undefined
  readonly locks: LockView | undefined
  readonly hold: HoldMemory
}

const NAME = 'sampler'

async function recall(memory: ConnectorMemory): Promise<SamplerMemory> {
  const text = await memory.load(NAME)
  if (text === undefined)
    return { reading: undefined, session: undefined, locks: undefined, hold: NO_DECREES }
  const json = JSON.parse(text)
  return {
    reading: { t0: BigInt(json.t0) },
    session: json.session ? sessionViewFromJson(json.session) : undefined,
    locks: json.locks ? lockViewFromJson(json.locks) : undefined,
    hold: holdMemoryFromJson(json.hold),
  }
}

async function remember(
  memory: ConnectorMemory,
  { reading, session, locks, hold }: SamplerMemory,
): Promise<void> {
  const json = {
    t0: String(reading?.t0 ?? 0n),
    session: session ? sessionViewToJson(session) : null,
    locks: locks ? lockViewToJson(locks) : null,
    hold: holdMemoryToJson(hold),
  }
  await memory.save(NAME, JSON.stringify(json))
}
