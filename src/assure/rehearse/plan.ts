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
  /** The busiest minute's hour, the busiest minute 1; empty for a flat load. Spread over the whole duration. */
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
  const transactions = Array.from({ length: head.actors }, (_, actor) => {
    const random = createRandom(head.seed * 1_000 + actor)
    const draw = createDraw(random, { ...head, actor })
    const own: LoadTransaction[] = []
    let atMs = 0
    for (;;) {
      const now = (perSecond / head.actors) * shareAt(head, atMs)
      atMs += (-Math.log(1 - random.fraction()) / now) * 1_000
      if (atMs >= head.durationMs) return own
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

const LEAST_SHARE = 0.01

function shareAt({ hour, durationMs }: PlanHead, atMs: number): number {
  if (hour.length === 0) return 1
  const at = Math.min(hour.length - 1, Math.floor((atMs / durationMs) * hour.length))
  return Math.max(LEAST_SHARE, hour[at]!)
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
