import { type Fate, NO_FATE } from './life.ts'
import { createRandom, type Random } from './random.ts'

/** Everything that one simulated history is made of; it follows from the seed alone. */
export interface Schedule {
  readonly seed: number
  readonly method: 'P1' | 'P2' | 'P3'
  readonly grainUs: bigint
  /** Stamps are taken at the transaction's begin (now()), at the statement (clock_timestamp()), or both. */
  readonly stamp: 'begin' | 'statement' | 'mixed'
  readonly mode: 'upsert' | 'history'
  readonly overlap: 'none' | 'default'
  readonly peek: boolean
  readonly guardMs: number
  readonly sliceRows: number
  readonly holdMaxMs: number | 'never'
  readonly sessionCount: number
  readonly keyCount: number
  readonly standbyCount: number
  /** Of one commit, at each pause. */
  readonly replayChance: number
  readonly twoPhase: boolean
  readonly lanes: boolean
  /** With few, lanes are read in turns (spec E44). */
  readonly laneMaxRows: number
  /** Contents repeat, so that a row may become again what it was (spec E54). */
  readonly sameContents: boolean
  /** How far the source's clock steps back, and at which pause; 0 for never. */
  readonly clockStepUs: bigint
  readonly clockStepAt: number
  /** Largest time between two steps of writers. */
  readonly paceUs: number
  readonly publishDelayUs: number
  readonly idleChance: number
  readonly maxSteps: number
  /** One for each run before the world comes to rest. */
  readonly fates: readonly Fate[]
  /** Of the first run after that: it pays what is owed. */
  readonly fateAtRest: Fate
  /** Processes run on different hosts, so that a dead one's lease must expire. */
  readonly manyHosts: boolean
}

/** Beyond the guard: a case that no fence covers, and that holds the watermark and widens the overlap (spec E22, E23). */
export function isLargeStep({ clockStepUs, guardMs }: Schedule): boolean {
  return clockStepUs > BigInt(guardMs) * 1000n
}

const MAX_STEPS = 60
/** A run has about this many instants at which something can befall it. */
const INSTANTS = 60
/** Instants that few runs have: processes die there on purpose. */
const RARE_INSTANTS = [
  'bill.landed',
  'bill.read',
  'catalog.addRange',
  'clock.sleep',
  'decree.recorded',
  'lane.landed',
  'land.committed',
  'land.merged',
  'peek.landed',
  'replica.waited',
  'run.closing',
  'slice.receipt_stored',
] as const

/** Draws the schedule of a seed. */
export function createSchedule(seed: number): Schedule {
  const random = createRandom(seed, 0)
  const method = random.pick(['P1', 'P1', 'P2', 'P3'] as const)
  const guardMs = random.pick([5, 5, 5, 1000])
  const clockStep =
    method === 'P3' ? 'none' : random.pick(['none', 'none', 'none', 'small', 'large'] as const)
  const runCount = 1 + random.below(4)
  // A step seen by another process only is found in part (spec E22): such a process must not die.
  const fates = Array.from({ length: runCount }, () => drawFate(random, clockStep !== 'large'))
  return {
    seed,
    method,
    grainUs: method !== 'P3' && random.chance(0.3) ? 1_000_000n : 1n,
    // A transaction that is open across a large step may stamp below its own start (spec E22).
    stamp: clockStep === 'large' ? 'begin' : random.pick(['begin', 'statement', 'mixed'] as const),
    mode: random.chance(0.3) ? 'history' : 'upsert',
    overlap: random.chance(0.7) ? 'none' : 'default',
    peek: random.chance(0.2),
    guardMs,
    sliceRows: random.pick([1, 2, 3, 250_000]),
    holdMaxMs: method !== 'P3' && random.chance(0.15) ? 500 : 'never',
    sessionCount: 2 + random.below(3),
    keyCount: 2 + random.below(7),
    standbyCount: random.pick([0, 0, 0, 1, 2]),
    replayChance: random.pick([0.05, 0.3]),
    twoPhase: random.chance(0.4),
    lanes: random.chance(0.25),
    laneMaxRows: random.pick([1, 10_000, 10_000]),
    sameContents: random.chance(0.15),
    clockStepUs: drawClockStep(clockStep, guardMs, random),
    clockStepAt: 10 + random.below(60),
    paceUs: random.pick([3_000, 60_000, 700_000]),
    publishDelayUs: guardMs * 500,
    idleChance: random.pick([0.2, 0.6, 0.9]),
    maxSteps: 10 + random.below(MAX_STEPS),
    fates,
    fateAtRest: drawFate(random, clockStep !== 'large'),
    manyHosts: random.chance(0.2),
  }
}

/** A small step and the delay before a start is published fit into the guard together (spec E22, E25 f). */
function drawClockStep(kind: 'none' | 'small' | 'large', guardMs: number, random: Random): bigint {
  if (kind === 'none') return 0n
  return kind === 'small' ? BigInt(guardMs * 400) : BigInt(2_000_000 + random.below(5_000_000))
}

function drawFate(random: Random, mayDie: boolean): Fate {
  const at = (chance: number): number | undefined =>
    random.chance(chance) ? 1 + random.below(INSTANTS) : undefined
  const failAt = [at(0.12), at(0.12)].filter((each) => each !== undefined)
  const crashAt = at(0.2)
  const crashOn = random.chance(0.08) ? random.pick(RARE_INSTANTS) : undefined
  const stallAt = at(0.07)
  if (mayDie && (crashAt ?? crashOn ?? stallAt) !== undefined) return { crashAt, crashOn, failAt, stallAt }
  return failAt.length > 0 ? { ...NO_FATE, failAt } : NO_FATE
}
