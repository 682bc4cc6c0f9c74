import { type Bound, lowerOf } from './bound.ts'

/**
 * What is remembered between two looks of the sampler of P2 and N1 (spec E27, E35): the clock (µs, or the counter of
 * a sequence) as read before the lists, and a bound for each transaction then open or prepared.
 */
export interface LockView {
  readonly clock: bigint
  readonly open: ReadonlyMap<string, Bound>
  readonly prepared: ReadonlyMap<string, Bound>
  /** The clock when a transaction without a bound was first seen: it is at least that old (spec E37). */
  readonly seen: ReadonlyMap<string, bigint>
}

/** One look: the clock first, then the open transactions, then the prepared ones. */
export interface LockLook {
  readonly clock: bigint
  readonly open: readonly string[]
  readonly prepared: readonly string[]
  /** How far a clock went back since the previous look (spec E23): an upper estimate; 0 for a counter. */
  readonly steppedBack: bigint
}

/**
 * A transaction new at this look began after the previous clock reading. A prepared one began after the reading
 * before it was first seen, or it is one of the transactions that have vanished since, whichever is lower: the lists
 * are not read at one instant, so its own key may vanish only at a later look. Of what was there at the very first
 * look nothing is known until it is gone. A step of the clock lowers every bound: it may have come between the clock
 * reading of the previous look and its lists.
 */
export function observeLocks(previous: LockView | undefined, look: LockLook): LockView {
  const lowered = (bound: Bound): Bound => (bound === undefined ? undefined : bound - look.steppedBack)
  const first = lowered(previous?.clock)
  const carry = (known: ReadonlyMap<string, Bound> | undefined, key: string): Bound =>
    known?.has(key) ? lowered(known.get(key)) : first
  const open = new Map(look.open.map((key) => [key, carry(previous?.open, key)]))

  const vanished = [...(previous?.open ?? [])]
    .filter(([key]) => !open.has(key))
    .map(([, bound]) => lowered(bound))
  const prepared = new Map(
    look.prepared.map((key) => [key, vanished.reduce<Bound>(lowerOf, carry(previous?.prepared, key))]),
  )
  const seen = [...open, ...prepared]
    .filter(([, bound]) => bound === undefined)
    .map(([key]): [string, bigint] => [key, lowered(previous?.seen.get(key)) ?? look.clock])
  return { clock: look.clock, open, prepared, seen: new Map(seen) }
}

/** The least bound of all that a look knows of. P2 subtracts the guard, N1 adds one. */
export function lockBound(view: LockView): Bound {
  return [...view.open.values(), ...view.prepared.values()].reduce<Bound>(lowerOf, view.clock)
}
