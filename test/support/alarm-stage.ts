import { watchStreams } from '../../src/assure/alarms/watch-streams.ts'
import type { Alarm, Catalog } from '../../src/catalog/catalog.ts'
import { DEFAULT_LIMITS, type Limits } from '../../src/extract/settings.ts'
import { createMemoryCatalog } from '../../src/testing/simulator/memory-catalog.ts'
import { createMemoryStore } from '../../src/testing/simulator/memory-store.ts'

export const KEY = 'shop/public.orders'
export const MINUTE = 60_000_000n
export const HOUR = 60n * MINUTE
export const DAY = 24n * HOUR
export const START = 1_772_359_200_000_000n
export const ORDER = { column: 'at', kind: 'timestamptz', grain: '1', stampedBy: 'database' }

/** A run that found no source. */
export const FAILED = {
  outcome: 'failed',
  watermark_before: null,
  watermark_after: null,
  complete_through: null,
  fence: null,
  error: { code: 'SOURCE_UNAVAILABLE', message: 'no route to host' },
}

/** A catalog at a time of its own, with records as runs leave them. */
export class AlarmStage {
  nowUs = START
  limits: Limits = { ...DEFAULT_LIMITS, everyMs: 60_000 }
  #store = createMemoryStore()
  #sequence = 0

  get catalog(): Catalog {
    const nowUs = (): bigint => this.nowUs
    return createMemoryCatalog({ store: this.#store, nowUs, host: 'here', pid: 1, isDead: () => false })
  }

  forgetAll(): void {
    this.#store = createMemoryStore()
  }

  later(us: bigint): void {
    this.nowUs += us
  }

  watch(stream = 'public.orders'): Promise<void> {
    return watchStreams(this.catalog, [{ stream, catalogKey: `shop/${stream}`, limits: this.limits }])
  }

  /** A run that ended now, complete through `lagUs` before now. */
  async run(changes: Readonly<Record<string, unknown>> = {}, lagUs = 0n, key = KEY): Promise<void> {
    this.#sequence++
    const through = String(this.nowUs - lagUs)
    await this.catalog.appendRecord(key, {
      kind: 'run',
      run_id: `r${this.#sequence}`,
      outcome: 'advanced',
      generation: 1,
      position_kind: 'timestamptz',
      order: ORDER,
      opened_us: String(this.nowUs - 1_000_000n),
      closed_us: String(this.nowUs),
      watermark_before: '0',
      watermark_after: through,
      complete_through: through,
      fence: { t0: String(this.nowUs), clockStepUs: '0' },
      lanes: {},
      ...changes,
    })
  }

  /** An audit that ended now, clean unless said otherwise. */
  async check(changes: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.catalog.appendRecord(KEY, {
      kind: 'audit',
      opened_us: String(this.nowUs),
      closed_us: String(this.nowUs),
      counts: { equal: '5', findings: '0' },
      from: null,
      ...changes,
    })
  }

  /** `name level` of each open alarm. */
  async open(): Promise<string[]> {
    return (await this.catalog.alarms(true)).map(({ name, level }) => `${name} ${level}`)
  }

  async alarm(name: string): Promise<Alarm | undefined> {
    return (await this.catalog.alarms(true)).find((each) => each.name === name)
  }
}
