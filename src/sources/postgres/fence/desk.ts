import { setTimeout as sleep } from 'node:timers/promises'
import type { FencePolicy } from '../../source.ts'
import type { FencerOptions } from './control.ts'
import { type LocksLook, lookAtLocks } from './locks.ts'
import { createRoleJudge } from './look.ts'
import { FenceMemory } from './memory.ts'
import { createSampler, type Sampler } from './sampler.ts'
import { lookAtSessions, type SessionsLook } from './sessions.ts'

/** What the fences of all tables share. */
export interface Desk {
  readonly options: FencerOptions
  readonly memory: FenceMemory
  readonly sessions: Sampler<SessionsLook>
  readonly locks: Sampler<LocksLook>
  /** Sequences that every look at the locks reads too: quoted names by oid. */
  readonly sequences: Map<string, string>
  /** The smallest guard of any table: what a step of the clock is measured against. */
  heedGuard(policy: FencePolicy): void
  /** Waits until a look that began then may be followed by another. */
  pause(begunMs: number, policy: FencePolicy): Promise<void>
  readonly isClosed: boolean
  close(): void
}

export async function openDesk(options: FencerOptions): Promise<Desk> {
  const memory = await FenceMemory.load(options.context.memory)
  const judge = createRoleJudge()
  const sequences = new Map<string, string>()
  const closing = new AbortController()
  let guardUs: bigint | undefined

  const desk: Desk = {
    options,
    memory,
    sequences,
    sessions: createSampler(() => lookAtSessions(options, memory, judge, guardUs ?? 0n)),
    locks: createSampler(() => lookAtLocks(options, memory, judge, sequences, guardUs ?? 0n)),
    heedGuard: ({ guardMs }) => {
      const asked = BigInt(guardMs) * 1000n
      guardUs = guardUs === undefined || asked < guardUs ? asked : guardUs
    },
    pause: async (begunMs, { fenceSampleMs }) => {
      const ms = Math.max(1, begunMs + fenceSampleMs - performance.now())
      await sleep(ms, undefined, { signal: closing.signal }).catch(() => {})
    },
    get isClosed() {
      return closing.signal.aborted
    },
    close: () => closing.abort(),
  }
  return desk
}

/** How old a look may be that another table asked for. */
export const sharedForMs = ({ fenceSampleMs, fenceFreshMs }: FencePolicy): number =>
  Math.min(fenceSampleMs, fenceFreshMs)
