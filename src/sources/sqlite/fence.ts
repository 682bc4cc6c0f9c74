import { performance } from 'node:perf_hooks'
import { assert } from '../../kernel/assert.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import type { Fence, FenceMethod, Witness } from '../../kernel/fence.ts'
import { floorToGrain, usToPosition } from '../../kernel/moment.ts'
import type { PositionOrder } from '../../kernel/order.ts'
import type { Position } from '../../kernel/position.ts'
import { type ClockReading, clockStepUs } from '../../kernel/sampling/clock-watch.ts'
import { judgeProof } from '../../kernel/sampling/proof-level.ts'
import type { ConnectorContext, FenceRequest } from '../source.ts'
import { type BarrierReading, crossBarrier, readClockUs } from './barrier.ts'
import { type Db, inReadTransaction, tryUntilFree } from './connection.ts'
import { coarser, observeGrain } from './describe/grain.ts'
import { lockHolders } from './lock-holders.ts'
import { networkDisk } from './network-disk.ts'

/** What the fences of one source share: the clock read last, and all that it has stepped back, ever (spec E23). */
export interface FenceState {
  clock: { readonly last: ClockReading; readonly steppedUs: bigint } | undefined
}

const CLOCK_MEMORY = 'clock'
/** How much of it the fences of one table have passed already. */
const clockSeenMemory = (table: string): string => `clock_seen/${table}`
const BUSY_MEMORY = 'busy_since'
/** Our readings of two clocks lie this far apart at most when neither stepped: SQLite's counts milliseconds. */
const CLOCK_NOISE_US = 2_000n

/**
 * The upper bound of a SQLite file: S1 for stamps, N1 for an AUTOINCREMENT key, both inside the barrier; `settle` where the file is
 * read-only or that is asked for (spec E18, E33, E35, E36). A writer at work past `busyWaitMs` leaves it without value.
 */
export async function takeFence(
  db: Db,
  request: FenceRequest,
  context: ConnectorContext,
  state: FenceState,
): Promise<Fence> {
  refuseWhatCannotBe(request)
  const { order, policy, shape } = request
  const barrier = policy.method !== 'settle'
  const answer = await tryUntilFree(db, policy.busyWaitMs, () =>
    timed(() => (barrier ? crossBarrier(db, shape.table.name) : readWithoutBarrier(db))),
  )
  const { reading, monotonic } = answer.free ? answer.value : timed(() => readWithoutBarrier(db))
  const steppedUs = await watchClock({ t0: reading.nowUs, monotonic }, request, context, state)
  await context.reach('fence.clock_read')
  const waitedUs = String(Math.round(answer.waitedMs * 1000))
  const common = {
    t0: String(reading.nowUs),
    prepared: [],
    excluded: [],
    decrees: [],
    settledDecrees: [],
    logPosition: undefined,
    sampleCount: 1,
    waitedUs,
    clockStepUs: String(steppedUs),
    grain: String(coarser(order.grain, await seenGrain(db, request))),
  }
  const fence = answer.free
    ? await passed(db, request, reading, common, context)
    : await held(db, request, reading.nowUs, answer.waitedMs, common, context)
  await context.reach('fence.listed')
  return fence
}

type Common = Omit<
  Fence,
  'method' | 'value' | 'guardUs' | 'proof' | 'proofReason' | 'witnesses' | 'heldBecause'
>

async function passed(
  db: Db,
  request: FenceRequest,
  reading: BarrierReading,
  common: Common,
  context: ConnectorContext,
): Promise<Fence> {
  const { order, policy } = request
  if (await busySaid(context)) await context.memory.save(BUSY_MEMORY, 'null')
  const method = methodOf(request, reading.writable)
  if (policy.method === 'S1' && method === 'settle') throw readOnly(db)
  if (method === 'settle' && policy.method !== 'settle') {
    context.note(
      `${db.name} is read-only: no barrier holds writers back, the fence waits ${policy.settleMs} ms`,
    )
  }
  const settleUs = method === 'settle' ? BigInt(Math.round(policy.settleMs * 1000)) : 0n
  const doubt = doubtOf(db, request, method, reading.writable)
  const verdict = judgeProof({ method, stampedBy: order.stampedBy, latenessMeasured: false })
  const proven = verdict.proof === 'proven' && doubt === undefined
  return {
    ...common,
    method,
    value: boundOf(order, reading, settleUs, BigInt(common.grain)),
    ...(order.flavour === 'sequence' ? { nextValue: String(reading.sequence + 1n) } : {}),
    guardUs: String(settleUs),
    proof: proven ? 'proven' : 'assumed',
    proofReason: doubt ?? verdict.reason,
    witnesses: [],
    heldBecause: undefined,
  }
}

async function held(
  db: Db,
  request: FenceRequest,
  nowUs: bigint,
  waitedMs: number,
  common: Common,
  context: ConnectorContext,
): Promise<Fence> {
  const sinceUs = await busySince(nowUs, waitedMs, context)
  const witnesses = lockHolders(db.name).map(
    (pid): Witness => ({
      key: `pid ${pid}`,
      pid,
      state: 'holds the write lock',
      transactionAgeUs: String(nowUs - sinceUs),
    }),
  )
  const who = witnesses.length > 0 ? witnesses.map(({ key }) => key).join(', ') : 'a writer'
  return {
    ...common,
    method: methodOf(request, true),
    value: undefined,
    guardUs: '0',
    proof: 'assumed',
    proofReason: 'no bound could be taken',
    witnesses:
      witnesses.length > 0 ? witnesses : [{ key: 'writer', transactionAgeUs: String(nowUs - sinceUs) }],
    heldBecause: `${who} held the write lock for the ${Math.round(waitedMs)} ms we waited`,
  }
}

function methodOf(request: FenceRequest, writable: boolean): FenceMethod {
  if (request.order.flavour === 'sequence') return 'N1'
  return request.policy.method === 'settle' || !writable ? 'settle' : 'S1'
}

function doubtOf(db: Db, request: FenceRequest, method: FenceMethod, writable: boolean): string | undefined {
  if (request.policy.method === 'settle') return undefined
  if (!writable) return 'the file is read-only, so no barrier could be taken'
  if (request.shape.kind === 'view') {
    return 'a view shows a row when its definition lets it, which may be long after its stamp'
  }
  const disk = networkDisk(db.name)
  return disk && method !== 'N1'
    ? `the file lies on ${disk}, where writers of other hosts have other clocks`
    : undefined
}

function boundOf(order: PositionOrder, reading: BarrierReading, settleUs: bigint, grain: bigint): Position {
  if (order.flavour === 'sequence') return { kind: 'integer', value: reading.sequence + 1n }
  return floorToGrain(order, usToPosition(order, reading.nowUs - settleUs), grain)
}

/** A grain that the values show now; not looked for when a writer keeps us from reading. */
async function seenGrain(db: Db, { shape, order }: FenceRequest): Promise<bigint | undefined> {
  const fact = shape.positions.find((position) => position.column === order.column)
  const searchable = fact?.indexed || (shape.rowCountEstimate ?? Number.POSITIVE_INFINITY) <= SMALL_ROWS
  if (!searchable) return undefined
  const answer = await tryUntilFree(db, 0, () =>
    inReadTransaction(db, () => observeGrain(db, shape.table, order)),
  )
  return answer.free ? answer.value : undefined
}

const SMALL_ROWS = 100_000

/**
 * How far the clock has stepped back since this table's last fence: a step that another table's fence has noticed is this
 * one's to heed as well. A counter has no clock.
 */
async function watchClock(
  now: ClockReading,
  { shape, order, rehearsal }: FenceRequest,
  { memory }: ConnectorContext,
  state: FenceState,
): Promise<bigint> {
  const stored = await memory.load(CLOCK_MEMORY)
  const before = state.clock ?? (stored ? storedClock(stored) : undefined)
  const steppedUs = (before?.steppedUs ?? 0n) + clockStepUs(before?.last, now, CLOCK_NOISE_US)
  state.clock = { last: now, steppedUs }
  await memory.save(CLOCK_MEMORY, JSON.stringify({ t0: String(now.t0), steppedUs: String(steppedUs) }))
  if (order.flavour === 'sequence') return 0n
  const name = clockSeenMemory(shape.table.name)
  const seen = await memory.load(name)
  if (!rehearsal) await memory.save(name, JSON.stringify(String(steppedUs)))
  return seen
    ? steppedUs - BigInt(JSON.parse(seen) as string)
    : clockStepUs(before?.last, now, CLOCK_NOISE_US)
}

function storedClock(json: string): NonNullable<FenceState['clock']> {
  const { t0, steppedUs } = JSON.parse(json) as { t0: string; steppedUs: string }
  return { last: { t0: BigInt(t0) }, steppedUs: BigInt(steppedUs) }
}

async function busySaid(context: ConnectorContext): Promise<string | null> {
  return JSON.parse((await context.memory.load(BUSY_MEMORY)) ?? 'null') as string | null
}

/** Since when every attempt has found a writer at work. */
async function busySince(nowUs: bigint, waitedMs: number, context: ConnectorContext): Promise<bigint> {
  const stored = await busySaid(context)
  const sinceUs = stored ? BigInt(stored) : nowUs - BigInt(Math.round(waitedMs * 1000))
  await context.memory.save(BUSY_MEMORY, JSON.stringify(String(sinceUs)))
  return sinceUs
}

function readWithoutBarrier(db: Db): BarrierReading {
  return { nowUs: readClockUs(db), sequence: 0n, writable: false }
}

/** Reads between two looks at our own clock, which serves to notice that the source's stepped back. */
function timed(read: () => BarrierReading) {
  const beforeUs = monotonicUs()
  const reading = read()
  return { reading, monotonic: { beforeUs, afterUs: monotonicUs() } }
}

function monotonicUs(): bigint {
  return BigInt(Math.round(performance.now() * 1000))
}

function refuseWhatCannotBe({ order, policy }: FenceRequest): void {
  assert(order.kind === 'text' || order.kind === 'integer', `SQLite has no ${order.kind} order`)
  const sequence = order.flavour === 'sequence'
  if (sequence && !policy.appendOnly) {
    throw new PlimsollError('POSITION_REFUSED', `${order.column} counts inserts and never sees an update`, {
      hint: 'Declare the table appendOnly if its rows are never updated; else order it by a moment of change.',
    })
  }
  const possible: readonly string[] = sequence ? ['auto', 'N1'] : ['auto', 'S1', 'settle']
  if (possible.includes(policy.method)) return
  throw new PlimsollError(
    'CONFIG_INVALID',
    `a SQLite file has no fence ${policy.method} for ${order.column}`,
    {
      hint: `Here the method is ${possible.join(' or ')}.`,
    },
  )
}

function readOnly(db: Db): PlimsollError {
  return new PlimsollError('CONFIG_INVALID', `fence S1 was asked for, but ${db.name} is read-only`, {
    hint: 'Give the right to write the file and its folder (nothing is written), or take the method settle.',
  })
}
