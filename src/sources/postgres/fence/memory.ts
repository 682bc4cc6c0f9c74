import { type ClockReading, clockStepUs } from '../../../kernel/sampling/clock-watch.ts'
import { type HoldMemory, NO_DECREES } from '../../../kernel/sampling/holding.ts'
import type { LockView } from '../../../kernel/sampling/lock-view.ts'
import type { SessionView } from '../../../kernel/sampling/session-view.ts'
import {
  type HoldMemoryJson,
  holdMemoryFromJson,
  holdMemoryToJson,
  type LockViewJson,
  lockViewFromJson,
  lockViewToJson,
  type SessionViewJson,
  sessionViewFromJson,
  sessionViewToJson,
} from '../../../kernel/sampling/view-json.ts'
import type { ConnectorMemory, TableRef } from '../../source.ts'

type View = SessionView | LockView

/** A view, and all that the clock had stepped back until its reading. */
export interface Remembered<V extends View> {
  readonly view: V
  readonly steppedUs: bigint
}

/** What a look belongs to: views do not outlive any part of it. */
export interface Home {
  readonly systemId: string
  readonly database: string
  readonly timeline: string
}

interface LooksJson {
  readonly home: Home | null
  readonly t0: string
  readonly steppedUs: string
  readonly views: Readonly<Record<string, { view: SessionViewJson | LockViewJson; steppedUs: string }>>
}

interface TableJson {
  readonly steppedSeenUs: string | null
  readonly counter: { readonly origin: string; readonly value: string } | null
  readonly oldest: { readonly key: string; readonly sinceUs: string } | null
  readonly hold: HoldMemoryJson
}

/** What one stream remembers: which steps of the clock its fences have passed, its counter, its decrees. */
export interface TableMemory {
  readonly steppedSeenUs: bigint | undefined
  /** N1: the last value seen, and where. */
  readonly counter: { readonly origin: string; readonly value: bigint } | undefined
  /** P3: who has been the oldest, and since when. */
  readonly oldest: { readonly key: string; readonly sinceUs: bigint } | undefined
  readonly hold: HoldMemory
}

/** The name of a view with a sequence's counter; the others are `P1` and `P2`. */
export const sequenceView = (oid: string): string => `N1/${oid}`

/** One text for all that looks at the database leave behind, and one for each table. */
const LOOKS = 'fence'
const tableName = ({ schema, name }: TableRef): string => `fence/${schema}.${name}`

/**
 * What the looks leave behind, kept between processes (spec E26). Views die with the server, database or timeline they
 * came from; the clock does not, so that a failover to a slower one is seen. Saved whole, after a whole look.
 */
export class FenceMemory {
  readonly #store: ConnectorMemory
  #home: Home | undefined
  #clock: ClockReading | undefined
  #steppedUs = 0n
  #views = new Map<string, Remembered<View>>()

  private constructor(store: ConnectorMemory) {
    this.#store = store
  }

  static async load(store: ConnectorMemory): Promise<FenceMemory> {
    const memory = new FenceMemory(store)
    const text = await store.load(LOOKS)
    if (text !== undefined) memory.#restore(JSON.parse(text) as LooksJson)
    return memory
  }

  /** All that the clock has stepped back beyond the guard, ever: only differences of it count. */
  get steppedUs(): bigint {
    return this.#steppedUs
  }

  /** To be called once for each reading of the clock, in order (spec E23). Returns steppedUs. */
  readClock(reading: ClockReading, guardUs: bigint): bigint {
    this.#steppedUs += clockStepUs(this.#clock, reading, guardUs)
    this.#clock = reading
    return this.#steppedUs
  }

  /** What the look before has left, unless it was of another server or timeline. */
  recall<V extends View>(home: Home, name: string): Remembered<V> | undefined {
    return this.#isHome(home) ? (this.#views.get(name) as Remembered<V> | undefined) : undefined
  }

  /** Keeps what a whole look has seen; without a home, the clock alone. */
  async keep(home?: Home, views: ReadonlyMap<string, Remembered<View>> = new Map()): Promise<void> {
    if (home && !this.#isHome(home)) this.#views.clear()
    this.#home = home ?? this.#home
    for (const [name, remembered] of views) this.#views.set(name, remembered)
    const json: LooksJson = {
      home: this.#home ?? null,
      t0: String(this.#clock?.t0 ?? 0n),
      steppedUs: String(this.#steppedUs),
      views: Object.fromEntries([...this.#views].map(([name, one]) => [name, rememberedToJson(one)])),
    }
    await this.#store.save(LOOKS, JSON.stringify(json))
  }

  async loadTable(table: TableRef): Promise<TableMemory> {
    const text = await this.#store.load(tableName(table))
    return text === undefined ? NO_MEMORY : tableFromJson(JSON.parse(text) as TableJson)
  }

  async saveTable(table: TableRef, memory: TableMemory): Promise<void> {
    await this.#store.save(tableName(table), JSON.stringify(tableToJson(memory)))
  }

  #isHome({ systemId, database, timeline }: Home): boolean {
    const home = this.#home
    return home?.systemId === systemId && home.database === database && home.timeline === timeline
  }

  #restore(json: LooksJson): void {
    this.#home = json.home ?? undefined
    this.#clock = { t0: BigInt(json.t0) }
    this.#steppedUs = BigInt(json.steppedUs)
    for (const [name, { view, steppedUs }] of Object.entries(json.views)) {
      const restored = 'raw' in view ? sessionViewFromJson(view) : lockViewFromJson(view)
      this.#views.set(name, { view: restored, steppedUs: BigInt(steppedUs) })
    }
  }
}

function rememberedToJson({ view, steppedUs }: Remembered<View>): LooksJson['views'][string] {
  const json = 'raw' in view ? sessionViewToJson(view) : lockViewToJson(view)
  return { view: json, steppedUs: String(steppedUs) }
}

const NO_MEMORY: TableMemory = {
  steppedSeenUs: undefined,
  counter: undefined,
  oldest: undefined,
  hold: NO_DECREES,
}

function tableToJson({ steppedSeenUs, counter, oldest, hold }: TableMemory): TableJson {
  return {
    steppedSeenUs: steppedSeenUs === undefined ? null : String(steppedSeenUs),
    counter: counter === undefined ? null : { origin: counter.origin, value: String(counter.value) },
    oldest: oldest === undefined ? null : { key: oldest.key, sinceUs: String(oldest.sinceUs) },
    hold: holdMemoryToJson(hold),
  }
}

function tableFromJson({ steppedSeenUs, counter, oldest, hold }: TableJson): TableMemory {
  return {
    steppedSeenUs: steppedSeenUs === null ? undefined : BigInt(steppedSeenUs),
    counter: counter === null ? undefined : { origin: counter.origin, value: BigInt(counter.value) },
    oldest: oldest === null ? undefined : { key: oldest.key, sinceUs: BigInt(oldest.sinceUs) },
    hold: holdMemoryFromJson(hold),
  }
}
