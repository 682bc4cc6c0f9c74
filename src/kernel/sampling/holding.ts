import type { Bound } from './bound.ts'

/** A writer that may keep a fence from moving. */
export interface Blocker {
  readonly key: string
  readonly bound: Bound
  /** Since when it can have held the fence, µs; unknown when it was there before the first look. */
  readonly sinceUs: bigint | undefined
}

/** What is remembered of one stream's decrees (spec E38). */
export interface HoldMemory {
  /** When the last decree was given: the next blocker's hold counts from here. */
  readonly decreedUs: bigint | undefined
  /** Bounds of the blockers passed over, in fence units, until their debt is settled. */
  readonly passedOver: ReadonlyMap<string, bigint>
}

export const NO_DECREES: HoldMemory = { decreedUs: undefined, passedOver: new Map() }

export interface HoldQuestion {
  readonly nowUs: bigint
  /** The fence when nobody holds it. */
  readonly ceiling: bigint
  readonly blockers: readonly Blocker[]
  /** Undefined: never pass anybody over. */
  readonly holdMaxUs: bigint | undefined
  /** Keys of decrees whose bill is not paid. */
  readonly outstanding: readonly string[]
  readonly memory: HoldMemory
}

export interface HoldAnswer {
  /** Undefined when somebody's bound is unknown. */
  readonly value: Bound
  /** Who keeps the value below the ceiling. */
  readonly binding: Blocker | undefined
  /** Everybody the value was computed without: outstanding ones still there, and at most one new. */
  readonly passedOver: readonly Blocker[]
  readonly memory: HoldMemory
}

/**
 * The fence under everybody who holds it, and the decree when one has held it for holdMax (spec E38): that one alone
 * is left out, and the next counts its hold from the later of its own start and the decree. A blocker without a known
 * bound is never passed over, for nobody could say what to read again.
 */
export function weighBlockers(question: HoldQuestion): HoldAnswer {
  const { nowUs, ceiling, holdMaxUs, outstanding, memory } = question
  const decreed = new Set([...outstanding, ...memory.passedOver.keys()])
  const left = question.blockers.filter(({ key }) => !decreed.has(key)).sort(byBound)
  const passedOver = question.blockers.filter(({ key }) => decreed.has(key))
  const oldest = left.find(({ bound }) => bound === undefined || bound < ceiling)
  const value = oldest ? oldest.bound : ceiling

  const isTooLong = oldest && holdMaxUs !== undefined && heldUs(oldest, nowUs, memory) >= holdMaxUs
  if (!isTooLong || value === undefined) return { value, binding: oldest, passedOver, memory }
  const next = left.find(({ key, bound }) => key !== oldest.key && bound !== undefined && bound < ceiling)
  return {
    value: next?.bound ?? ceiling,
    binding: next,
    passedOver: [oldest, ...passedOver],
    memory: { decreedUs: nowUs, passedOver: new Map(memory.passedOver).set(oldest.key, value) },
  }
}

function heldUs(blocker: Blocker, nowUs: bigint, { decreedUs }: HoldMemory): bigint {
  if (blocker.sinceUs === undefined) return -1n
  const since = decreedUs !== undefined && decreedUs > blocker.sinceUs ? decreedUs : blocker.sinceUs
  return nowUs - since
}

function byBound(a: Blocker, b: Blocker): number {
  if (a.bound === b.bound) return a.key < b.key ? -1 : a.key > b.key ? 1 : 0
  if (a.bound === undefined) return -1
  if (b.bound === undefined) return 1
  return a.bound < b.bound ? -1 : 1
}

export interface SettleQuestion {
  readonly outstanding: readonly string[]
  readonly isThere: (key: string) => boolean
  /** False for keys that a transaction keeps when it is prepared. */
  readonly mayBeRenamed: (key: string) => boolean
  /** Bounds of all prepared transactions, in fence units. */
  readonly prepared: readonly Bound[]
  readonly memory: HoldMemory
}

/**
 * Which decrees are due for their bill (spec E39): the blocker is gone, and no prepared transaction is left that may
 * be the blocker under another name, for PREPARE takes a transaction off the list without ending it.
 */
export function settledDecrees(question: SettleQuestion): string[] {
  const { outstanding, isThere, mayBeRenamed, prepared, memory } = question
  return outstanding.filter((key) => {
    if (isThere(key)) return false
    if (!mayBeRenamed(key)) return true
    const own = memory.passedOver.get(key)
    return !prepared.some((bound) => own === undefined || bound === undefined || bound <= own)
  })
}

/** Forgets the decrees that are neither outstanding nor in force. */
export function forgetPaid(memory: HoldMemory, keep: ReadonlySet<string>): HoldMemory {
  return { ...memory, passedOver: new Map([...memory.passedOver].filter(([key]) => keep.has(key))) }
}
