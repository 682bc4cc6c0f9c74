import { type Bound, lowerOf } from './bound.ts'

/** What is remembered between two looks of P1 (spec E24, E26). The guard is subtracted later, from the result. */
export interface SessionView {
  /** min(t0, m): no transaction open at this look, or begun after it, starts earlier. */
  readonly raw: bigint
  readonly prepared: ReadonlyMap<string, Bound>
}

/** One look: the clock first, then the sessions, then the prepared transactions. */
export interface SessionLook {
  readonly t0: bigint
  /** The start of each transaction that is open and could write, declared exclusions included (spec E26). */
  readonly starts: readonly bigint[]
  readonly prepared: readonly string[]
  /** How far the clock went back since the previous look (spec E23): an upper estimate, never negative. */
  readonly steppedBackUs: bigint
}

/**
 * A prepared transaction has left the sessions and does not tell when it began. When seen first, it was open at the
 * previous look or began after it, so the previous `raw` bounds it until it is gone; without a previous look nothing
 * does. A clock that stepped back may have given it an even smaller start, also between the clock reading of the look
 * that saw it first and that look's list: a step lowers every bound.
 */
export function observeSessions(previous: SessionView | undefined, look: SessionLook): SessionView {
  const prepared = new Map<string, Bound>()
  for (const key of look.prepared) {
    const known = previous?.prepared.has(key) ? previous.prepared.get(key) : previous?.raw
    prepared.set(key, known === undefined ? undefined : known - look.steppedBackUs)
  }
  const raw = look.starts.reduce((least, start) => (start < least ? start : least), look.t0)
  return { raw, prepared }
}

/** The least bound of all that a look knows of; the fence is this minus the guard, floored. */
export function sessionBound(view: SessionView): Bound {
  return [...view.prepared.values()].reduce<Bound>(lowerOf, view.raw)
}
