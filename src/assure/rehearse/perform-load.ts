import { setTimeout as sleep } from 'node:timers/promises'
import type { LoadGenerator, LoadOutcome, LoadStage, LoadTransaction } from '../../sources/load.ts'
import type { History } from './history.ts'
import { IDLE_MS, REPLAY_PAUSE_MS, type RehearsalPlan } from './plan.ts'

const IDLE_KEYS_FROM = 900_000_000_000

export interface Performing {
  readonly load: LoadGenerator
  readonly stage: LoadStage
  readonly plan: RehearsalPlan
  readonly replicaUrl: string | undefined
  readonly history: History
  readonly signal: AbortSignal
}

/** Lets the planned transactions happen; settles when all have ended. What is due late begins at once. */
export async function performLoad(performing: Performing): Promise<void> {
  const { load, stage, plan, replicaUrl } = performing
  const beginMs = performance.now()
  const writers = await Promise.all(plan.transactions.map(() => load.openWriter(stage)))
  try {
    await allOrFirstFailure([
      ...plan.transactions.map((own, actor) =>
        act(performing, beginMs, own, (transaction) => writers[actor]!.transact(transaction)),
      ),
      ...plan.idleAtMs.map(async (atMs, n) => {
        await until(performing, beginMs + atMs)
        if (performing.signal.aborted) return
        const actor = plan.head.actors
        const ms = Math.min(IDLE_MS, plan.head.durationMs - atMs)
        const outcome = await load.idle(stage, IDLE_KEYS_FROM + n, `${actor + 1}.${n}.0.0`, ms)
        write(performing, { actor, n, kind: 'ordinary' }, outcome)
      }),
      ...plan.replayPauseAtMs.map(async (atMs) => {
        await until(performing, beginMs + atMs)
        if (replicaUrl !== undefined && !performing.signal.aborted) {
          await load.pauseReplay(replicaUrl, REPLAY_PAUSE_MS)
        }
      }),
    ])
  } finally {
    await Promise.all(writers.map((writer) => writer.close()))
  }
}

async function act(
  performing: Performing,
  beginMs: number,
  own: readonly LoadTransaction[],
  transact: (transaction: LoadTransaction) => Promise<LoadOutcome>,
): Promise<void> {
  const endMs = beginMs + performing.plan.head.durationMs
  for (const transaction of own) {
    await until(performing, beginMs + transaction.atMs)
    if (performing.signal.aborted || performance.now() >= endMs) return
    write(performing, transaction, await transact(transaction))
  }
}

function write(
  { history }: Performing,
  { actor, n, kind }: Pick<LoadTransaction, 'actor' | 'n' | 'kind'>,
  { outcome, beganUs, endedUs, writes }: LoadOutcome,
): void {
  history.add({
    kind: 'transaction',
    actor,
    n,
    tag: kind,
    outcome,
    beganUs,
    endedUs,
    writes: writes.map(({ op, key, version, stampUs }) => [op, key, version, stampUs]),
  })
}

async function until({ signal }: Performing, atMs: number): Promise<void> {
  const ms = atMs - performance.now()
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => {})
}

/** Nobody is left running behind a failure. */
async function allOrFirstFailure(work: readonly Promise<void>[]): Promise<void> {
  const ended = await Promise.allSettled(work)
  for (const each of ended) if (each.status === 'rejected') throw each.reason
}
