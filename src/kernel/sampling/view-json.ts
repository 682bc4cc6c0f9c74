import type { Bound } from './bound.ts'
import type { HoldMemory } from './holding.ts'
import type { LockView } from './lock-view.ts'
import type { SessionView } from './session-view.ts'

/** Views as they are kept between processes: numbers as text, an unknown bound as null. */
export type BoundsJson = Readonly<Record<string, string | null>>
export interface SessionViewJson {
  readonly raw: string
  readonly prepared: BoundsJson
}
export interface LockViewJson {
  readonly clock: string
  readonly open: BoundsJson
  readonly prepared: BoundsJson
  /** Absent in what the first programs kept. */
  readonly seen?: Readonly<Record<string, string>>
}
export interface HoldMemoryJson {
  readonly decreedUs: string | null
  readonly passedOver: Readonly<Record<string, string>>
}

export const sessionViewToJson = (view: SessionView): SessionViewJson => ({
  raw: String(view.raw),
  prepared: boundsToJson(view.prepared),
})

export const sessionViewFromJson = (json: SessionViewJson): SessionView => ({
  raw: BigInt(json.raw),
  prepared: boundsFromJson(json.prepared),
})

export const lockViewToJson = (view: LockView): LockViewJson => ({
  clock: String(view.clock),
  open: boundsToJson(view.open),
  prepared: boundsToJson(view.prepared),
  seen: bigintsToJson(view.seen),
})

export const lockViewFromJson = (json: LockViewJson): LockView => ({
  clock: BigInt(json.clock),
  open: boundsFromJson(json.open),
  prepared: boundsFromJson(json.prepared),
  seen: bigintsFromJson(json.seen ?? {}),
})

export const holdMemoryToJson = (memory: HoldMemory): HoldMemoryJson => ({
  decreedUs: memory.decreedUs === undefined ? null : String(memory.decreedUs),
  passedOver: bigintsToJson(memory.passedOver),
})

export const holdMemoryFromJson = (json: HoldMemoryJson): HoldMemory => ({
  decreedUs: json.decreedUs === null ? undefined : BigInt(json.decreedUs),
  passedOver: bigintsFromJson(json.passedOver),
})

function boundsToJson(bounds: ReadonlyMap<string, Bound>): BoundsJson {
  return Object.fromEntries(
    [...bounds].map(([key, bound]) => [key, bound === undefined ? null : String(bound)]),
  )
}

function boundsFromJson(json: BoundsJson): Map<string, Bound> {
  return new Map(Object.entries(json).map(([key, text]) => [key, text === null ? undefined : BigInt(text)]))
}

function bigintsToJson(values: ReadonlyMap<string, bigint>): Record<string, string> {
  return Object.fromEntries([...values].map(([key, value]) => [key, String(value)]))
}

function bigintsFromJson(json: Readonly<Record<string, string>>): Map<string, bigint> {
  return new Map(Object.entries(json).map(([key, text]) => [key, BigInt(text)]))
}
