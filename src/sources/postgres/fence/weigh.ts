import type { Bound } from '../../../kernel/sampling/bound.ts'
import { type HoldAnswer, type HoldMemory, weighBlockers } from '../../../kernel/sampling/holding.ts'
import type { LockView } from '../../../kernel/sampling/lock-view.ts'
import type { FenceRequest } from '../../source.ts'
import { type Candidate, preparedWitness, witnessOf } from './candidate.ts'
import type { LocksLook } from './locks.ts'
import type { SessionsLook } from './sessions.ts'

/** What a look means for one table, in fence units: µs, numbers, or transaction ids. */
export interface Weighed {
  readonly t0: bigint
  readonly hold: HoldAnswer
  /** Everybody that counts, whoever binds first. */
  readonly counted: readonly Candidate[]
  /** Left out by declaration (spec E34), sessions of excludeRoles. */
  readonly declared: readonly Candidate[]
  /** Whether a decree's blocker is still there, where the lists alone do not tell. */
  readonly isThere?: (key: string) => boolean
}

interface Sides {
  readonly t0: bigint
  readonly ceiling: bigint
  readonly candidates: readonly Candidate[]
}

/** P1: every session and every prepared transaction with its bound. */
export function weighSessions(request: FenceRequest, look: SessionsLook, memory: HoldMemory): Weighed {
  const { t0, view } = look
  const guardUs = BigInt(request.policy.guardMs) * 1000n
  const open = look.sessions.flatMap((session): Candidate[] => {
    const { key, startedUs } = session
    if (startedUs === undefined) return []
    const witness = witnessOf(session, startedUs - guardUs, t0 - startedUs)
    return [{ key, bound: startedUs, sinceUs: startedUs, witness }]
  })
  const prepared = look.prepared.map((one): Candidate => {
    const bound = view.prepared.get(one.key)
    const witness = preparedWitness(one, bound && bound - guardUs, t0)
    return { key: one.key, bound, sinceUs: bound, witness, gid: one.gid }
  })
  return weigh(request, { t0, ceiling: t0, candidates: [...open, ...prepared] }, memory)
}

/** P2: every transaction with the bound inferred for it. */
export function weighLocks(request: FenceRequest, look: LocksLook, memory: HoldMemory): Weighed {
  const guardUs = BigInt(request.policy.guardMs) * 1000n
  const candidates = holders(look, look.view, (bound) => bound && bound - guardUs)
  return weigh(request, { t0: look.t0, ceiling: look.t0, candidates }, memory)
}

/** N1: the same with the counter's bounds; how long somebody has held is still a matter of time. */
export function weighCounter(
  request: FenceRequest,
  look: LocksLook,
  counter: LockView,
  memory: HoldMemory,
): Weighed {
  const candidates = holders(look, counter, (bound) => (bound === undefined ? undefined : bound + 1n))
  return weigh(request, { t0: look.t0, ceiling: counter.clock, candidates }, memory)
}

function holders(look: LocksLook, view: LockView, shown: (bound: Bound) => Bound): Candidate[] {
  const { t0 } = look
  const open = look.holders.map((holder): Candidate => {
    const [bound, sinceUs] = [view.open.get(holder.key), look.view.open.get(holder.key)]
    const knownUs = sinceUs ?? look.view.seen.get(holder.key)
    const witness = witnessOf(holder, shown(bound), knownUs === undefined ? undefined : t0 - knownUs)
    return { key: holder.key, bound, sinceUs, witness }
  })
  const prepared = look.prepared.map((one): Candidate => {
    const [bound, sinceUs] = [view.prepared.get(one.key), look.view.prepared.get(one.key)]
    const witness = preparedWitness(one, shown(bound), t0)
    return { key: one.key, bound, sinceUs, witness, gid: one.gid }
  })
  return [...open, ...prepared]
}

/** Sets the declared ones apart and decides who holds (spec E38). */
export function weigh(
  request: FenceRequest,
  { t0, ceiling, candidates }: Sides,
  memory: HoldMemory,
): Weighed {
  const { excludeRoles, holdMaxMs } = request.policy
  const isDeclared = ({ gid, witness }: Candidate): boolean =>
    gid === undefined && witness.user !== undefined && excludeRoles.includes(witness.user)
  const counted = candidates.filter((one) => !isDeclared(one))
  const hold = weighBlockers({
    nowUs: t0,
    ceiling,
    blockers: counted,
    holdMaxUs: holdMaxMs === 'never' ? undefined : BigInt(holdMaxMs) * 1000n,
    outstanding: request.outstandingDecrees.map(({ key }) => key),
    memory,
  })
  return { t0, hold, counted, declared: candidates.filter(isDeclared) }
}
