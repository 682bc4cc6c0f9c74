import type { Failpoint } from '../../kernel/failpoint.ts'
import type { LoadTransaction } from '../../sources/load.ts'
import { createDraw } from './draw.ts'
import { typicalTransactions } from './load-law.ts'
import { createRandom } from './random.ts'

/** What a rehearsal is asked for; with the seed it makes the plan, byte for byte (assurance A51). */
export interface PlanHead {
  readonly version: 1
  readonly seed: number
  readonly durationMs: number
  readonly periodMs: number
  /** Rows whose position is set, a second, in the busiest minute. */
  readonly rate: number
  readonly actors: number
  readonly rows: number
  readonly payloadBytes: number
  readonly grainUs: number
  readonly mayPrepare: boolean
  readonly hasReplica: boolean
  /** The busiest minute's hour, the busiest minute 1; empty for a flat load. */
  readonly hour: readonly number[]
}

export interface RehearsalPlan {
  readonly head: PlanHead
  /** By actor, in order of time. */
  readonly transactions: readonly (readonly LoadTransaction[])[]
  readonly kills: readonly PlannedKill[]
  /** When a session goes idle in its transaction, for `IDLE_MS`. */
  readonly idleAtMs: readonly number[]
  /** When the replay of the replica is held, for `REPLAY_PAUSE_MS`. */
  readonly replayPauseAtMs: readonly number[]
}

/** The program ends itself with SIGKILL where it reaches this name first after `KILL_EVERY_S`. */
export interface PlannedKill {
  readonly failpoint: Failpoint
}

export const KILL_EVERY_S = 40
const MINUTE_MS = 60_000
const IDLE_EVERY_MS = 300_000
export const IDLE_MS = 30_000
const REPLAY_PAUSE_EVERY_MS = 600_000
export const REPLAY_PAUSE_MS = 30_000

/** Those that every run under load reaches. */
const DEADLY: readonly Failpoint[] = [
  'lease.acquired',
  'run.opened',
  'fence.clock_read',
  'fence.listed',
  'fence.recorded',
  'read.locked',
  'read.snapshot_opened',
  'read.last_page_done',
  'land.staged',
  'land.counted',
  'land.merged',
  'land.claim_written',
  'land.commit_sent',
  'land.committed',
  'slice.receipt_stored',
  'run.closing',
]

/** Everything that is chosen, before anything happens. Same head, same plan. */
export function makePlan(head: PlanHead): RehearsalPlan {
  const perSecond = transactionsPerSecond(head.rate)
  const shares = minuteShares(head)
  const transactions = Array.from({ length: head.actors }, (_, actor) => {
    const random = createRandom(head.seed * 1_000 + actor)
    const draw = createDraw(random, { ...head, actor })
    const own: LoadTransaction[] = []
    for (let atMs = 0; ; ) {
      atMs += (-Math.log(1 - random.fraction()) / (perSecond / head.actors)) * 1_000
      if (atMs >= head.durationMs) return own
      // In a quieter minute only some of the moments of the busiest one are taken.
      if (random.fraction() >= (shares[Math.floor(atMs / MINUTE_MS)] ?? 1)) continue
      own.push({ actor, n: own.length, atMs: Math.round(atMs), ...draw() })
    }
  })
  const chance = createRandom(head.seed * 1_000 + 999)
  const kills = Array.from({ length: Math.floor(head.durationMs / 1_000 / KILL_EVERY_S) }, () => ({
    failpoint: chance.pick(DEADLY),
  }))
  return {
    head,
    transactions,
    kills,
    idleAtMs: every(IDLE_EVERY_MS, head.durationMs),
    replayPauseAtMs: head.hasReplica ? every(REPLAY_PAUSE_EVERY_MS, head.durationMs) : [],
  }
}

/** The first in the middle of its interval. */
const every = (intervalMs: number, durationMs: number): number[] => {
  const found: number[] = []
  for (let atMs = intervalMs / 2; atMs < durationMs; atMs += intervalMs) found.push(atMs)
  return found
}

/**
 * The load of each minute, the busiest minute 1. Minutes are as long as they were, as everything else is (A50): a shorter
 * rehearsal is the busiest minute and those around it, a longer one its hour again and again.
 */
export function minuteShares({ hour, durationMs }: Pick<PlanHead, 'hour' | 'durationMs'>): readonly number[] {
  const minutes = Math.ceil(durationMs / MINUTE_MS)
  if (hour.length === 0) return new Array<number>(minutes).fill(1)
  const busiest = hour.indexOf(Math.max(...hour))
  const first = busiest - Math.floor(Math.min(minutes, hour.length) / 2) + hour.length
  return Array.from({ length: minutes }, (_, i) => hour[(first + i) % hour.length]!)
}

/** A transaction stamps several rows: the rate is one of rows (load-forecast L1). */
export function transactionsPerSecond(rowsPerSecond: number): number {
  return rowsPerSecond / typicalTransactions().rowsEach
}

/** The plan as a file: its head, its disturbances, a line a transaction. */
export function planToText({ head, transactions, kills, idleAtMs, replayPauseAtMs }: RehearsalPlan): string {
  const lines = [{ head }, { kills, idleAtMs, replayPauseAtMs }, ...transactions.flat()]
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

/** Reads a plan back, for `--replay`. Throws a SyntaxError where it is none. */
export function planFromText(text: string): RehearsalPlan {
  const [first, second, ...rest] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const head = first?.head as PlanHead | undefined
  if (head?.version !== 1 || second?.kills === undefined) throw new SyntaxError('not a plan of a rehearsal')
  const transactions: LoadTransaction[][] = Array.from({ length: head.actors }, () => [])
  for (const transaction of rest as LoadTransaction[]) transactions[transaction.actor]!.push(transaction)
  return { head, transactions, ...second }
}
