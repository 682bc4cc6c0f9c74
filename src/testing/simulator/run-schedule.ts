import type { StoredRecord } from '../../catalog/catalog.ts'
import type { Mistake, StreamResult } from '../../extract/index.ts'
import type { ErrorCode } from '../../kernel/errors.ts'
import type { Position } from '../../kernel/position.ts'
import { checkLedger, checkRecords } from './check-ledger.ts'
import { type Checker, createChecker, type Violation } from './checker.ts'
import { NO_FATE } from './life.ts'
import { createMachine, type Machine } from './machine.ts'
import { CATALOG_KEY, streamSettings } from './model-engine.ts'
import { createSchedule, type Schedule } from './schedule.ts'
import { createWorld, type World } from './world.ts'

export interface RunScheduleOptions {
  readonly mistake?: Mistake | undefined
  /** Changes to the schedule that the seed draws: to shrink a failure, or to look at one kind of history. */
  readonly change?: (schedule: Schedule) => Schedule
  /** Gets a line for everything that happens. */
  readonly trace?: (text: string) => void
  /** Gets every record, oldest first, once the world is at rest. */
  readonly onRest?: (records: readonly StoredRecord[]) => void
}

export interface ScheduleReport {
  readonly violation: Violation | undefined
  readonly runCount: number
  readonly landingCount: number
  readonly stepCount: number
  /** Where processes died. */
  readonly deaths: readonly string[]
}

const STREAM = 'public.orders'
/** Ends of a run that a disturbed world excuses; each is over once the world is at rest. */
const EXCUSED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'SOURCE_UNAVAILABLE',
  'DESTINATION_UNAVAILABLE',
  'STREAM_BUSY',
  'LEASE_FENCED_OUT',
  'REPLICA_BEHIND',
])
/** Records are read again and hashed in one schedule of these, for it takes as long as a run. */
const RECORDS_EVERY = 4
const MAX_RUNS_AT_REST = 12

/** Plays one schedule with the real engine, then lets the world come to rest and looks whether everything arrived. */
export async function runSchedule(seed: number, options: RunScheduleOptions = {}): Promise<ScheduleReport> {
  const drawn = createSchedule(seed)
  const schedule = options.change?.(drawn) ?? drawn
  const note = options.trace ?? (() => undefined)
  const checker: Checker = createChecker(() => world)
  const world: World = createWorld(schedule, note, checker.committed)
  const machine = createMachine(world, checker, options.mistake)
  for (const fate of schedule.fates) {
    for (let i = 0; i < 4; i++) world.pause()
    const result = await machine.run(fate)
    if (result?.error && !EXCUSED.has(result.error.code)) failed(checker, result)
    if (checker.violation) break
  }
  if (!checker.violation) await comeToRest(world, checker, machine)
  options.onRest?.(world.catalog.records)
  return {
    violation: checker.violation,
    runCount: machine.runCount,
    landingCount: checker.landedBatches.size,
    stepCount: world.writers.stepCount,
    deaths: machine.deaths,
  }
}

async function comeToRest(world: World, checker: Checker, machine: Machine): Promise<void> {
  const settings = streamSettings(world.schedule)
  world.rest()
  world.sleep(settings.limits.leaseMs)
  for (let count = 0; count < MAX_RUNS_AT_REST; count++) {
    world.sleep(2_000 + settings.fence.guardMs)
    const fate = count === 0 ? world.schedule.fateAtRest : NO_FATE
    const result = await machine.run(fate)
    if (result?.error && (fate === NO_FATE || !EXCUSED.has(result.error.code))) failed(checker, result)
    if (checker.violation) return
    if (fate !== NO_FATE) {
      world.sleep(settings.limits.leaseMs)
      continue
    }
    const claim = world.destination.claims.get(STREAM)?.claim
    if (!claim?.watermark || !hasPassedAll(world, claim.watermark) || owesRows(world)) continue
    if (count <= world.schedule.keyCount && readsLanesInTurns(world.schedule)) continue
    const futureFromUs = world.clock.sourceUs() + BigInt(settings.limits.futureToleranceMs) * 1000n
    checker.atRest(claim.watermark, futureFromUs)
    checkLedger(world.catalog, claim.generation, claim.watermark, checker)
    if (world.schedule.seed % RECORDS_EVERY === 0) checkRecords(world.catalog.records, checker)
    return
  }
  checker.report('stuck', `the watermark did not pass all stamps in ${MAX_RUNS_AT_REST} quiet runs`)
}

function failed(checker: Checker, { error }: StreamResult): void {
  checker.report('failed', `${error!.code}: ${error!.message}`)
}

/** Whether the watermark lies above every position that is due. */
function hasPassedAll({ schedule, database, clock }: World, { value }: Position): boolean {
  for (const { position } of database.committed.values()) {
    if (typeof position !== 'bigint' || (schedule.method !== 'P3' && position > clock.sourceUs())) continue
    if (position >= (value as bigint)) return false
  }
  return true
}

/** Then each run brings one row of a lane, and each key may be in one. */
const readsLanesInTurns = ({ lanes, laneMaxRows, keyCount }: Schedule): boolean =>
  lanes && laneMaxRows < keyCount

/** Whether a decree's bill is not paid, or a wider overlap not read yet. */
function owesRows(world: World): boolean {
  const text = world.catalog.memory.get(CATALOG_KEY)?.get('stream')
  if (text === undefined) return false
  const { debts, extraOverlap } = JSON.parse(text) as { debts: unknown[]; extraOverlap: string }
  return debts.length > 0 || extraOverlap !== '0'
}
