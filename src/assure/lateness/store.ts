import type { Catalog, Lease } from '../../catalog/catalog.ts'
import { formatDateUs, parseTimestamp, US_PER_DAY } from '../../kernel/calendar.ts'
import {
  type Entry,
  type EntryJson,
  emptyEntry,
  entryFromJson,
  entryToJson,
  type LatenessWay,
  mergeEntries,
  rateOf,
} from './entry.ts'

/** How long measurements are kept (assurance A37). */
export const KEPT_DAYS = 35

/** The catalog's scope for what is known of a stream's lateness. */
export const latenessScope = (catalogKey: string): string => `lateness:${catalogKey}`

export interface StoredEntry {
  readonly way: LatenessWay
  /** The day's beginning, µs since 1970, by the source's clock. */
  readonly dayUs: bigint
  readonly entry: Entry
}

/**
 * Adds to the entry of its way, day and rate (to a factor of 2), which is made when absent; then what is older than 35
 * days goes. With a lease: throws LEASE_FENCED_OUT when another run has taken the stream over.
 */
export async function addToStore(
  catalog: Catalog,
  catalogKey: string,
  { way, dayUs, entry }: StoredEntry,
  lease?: Lease,
): Promise<void> {
  const scope = latenessScope(catalogKey)
  const name = nameOf(way, dayUs, entry)
  const before = await catalog.memory(scope, name)
  const sum = mergeEntries(before === undefined ? emptyEntry() : decode(before), entry)
  await catalog.remember(scope, name, JSON.stringify(entryToJson(sum)), lease)
  if (before === undefined) await forgetOld(catalog, scope, way, dayUs, lease)
}

/** Whether the way has measured anything on that day. */
export async function hasMeasured(
  catalog: Catalog,
  catalogKey: string,
  way: LatenessWay,
  dayUs: bigint,
): Promise<boolean> {
  const names = await catalog.memoryNames(latenessScope(catalogKey), `${way}/${dayName(dayUs)}/`)
  return names.length > 0
}

/** Everything of one way in the last `days` days, oldest first. */
export async function loadStore(
  catalog: Catalog,
  catalogKey: string,
  way: LatenessWay,
  nowUs: bigint,
  days: number,
): Promise<readonly StoredEntry[]> {
  const scope = latenessScope(catalogKey)
  const from = startOfDay(nowUs) - BigInt(days - 1) * US_PER_DAY
  const found: StoredEntry[] = []
  for (const name of await catalog.memoryNames(scope, `${way}/`)) {
    const dayUs = dayOf(name)
    if (dayUs === undefined || dayUs < from) continue
    const text = await catalog.memory(scope, name)
    if (text !== undefined) found.push({ way, dayUs, entry: decode(text) })
  }
  return found
}

export const startOfDay = (us: bigint): bigint => us - (((us % US_PER_DAY) + US_PER_DAY) % US_PER_DAY)

const dayName = (dayUs: bigint): string => formatDateUs(startOfDay(dayUs))

/** `commit/2026-03-02/-3`: rates between 0.09 and 0.18 a second. */
function nameOf(way: LatenessWay, dayUs: bigint, entry: Entry): string {
  const rate = rateOf(entry)
  return `${way}/${dayName(dayUs)}/${rate > 0 ? Math.round(Math.log2(rate)) : 'idle'}`
}

const dayOf = (name: string): bigint | undefined => parseTimestamp(`${name.split('/')[1]} 00:00:00`)

async function forgetOld(
  catalog: Catalog,
  scope: string,
  way: LatenessWay,
  dayUs: bigint,
  lease: Lease | undefined,
): Promise<void> {
  const from = startOfDay(dayUs) - BigInt(KEPT_DAYS - 1) * US_PER_DAY
  for (const name of await catalog.memoryNames(scope, `${way}/`)) {
    const day = dayOf(name)
    if (day !== undefined && day < from) await catalog.remember(scope, name, undefined, lease)
  }
}

const decode = (text: string): Entry => entryFromJson(JSON.parse(text) as EntryJson)
