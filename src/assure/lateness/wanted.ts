import type { Catalog, Lease } from '../../catalog/catalog.ts'
import { US_PER_DAY } from '../../kernel/calendar.ts'
import { latenessScope, startOfDay } from './store.ts'

/** An overlap shrinks only after so many days in which less would have done (spec E40). */
const DAYS = 7n
const NAME = 'wanted'

interface WantedOfDay {
  readonly dayUs: string
  readonly wanted: string
}

/** The largest overlap wanted in the last 7 days and today. */
export async function wantedBefore(catalog: Catalog, catalogKey: string, nowUs: bigint): Promise<bigint> {
  const days = await load(catalog, catalogKey, nowUs)
  return days.reduce((most, { wanted }) => (BigInt(wanted) > most ? BigInt(wanted) : most), 0n)
}

export async function rememberWanted(
  catalog: Catalog,
  catalogKey: string,
  nowUs: bigint,
  wanted: bigint,
  lease?: Lease,
): Promise<void> {
  const days = await load(catalog, catalogKey, nowUs)
  const dayUs = String(startOfDay(nowUs))
  const today = days.find((each) => each.dayUs === dayUs)
  if (today && BigInt(today.wanted) >= wanted) return
  const kept = [...days.filter((each) => each !== today), { dayUs, wanted: String(wanted) }]
  await catalog.remember(latenessScope(catalogKey), NAME, JSON.stringify(kept), lease)
}

async function load(catalog: Catalog, catalogKey: string, nowUs: bigint): Promise<readonly WantedOfDay[]> {
  const text = await catalog.memory(latenessScope(catalogKey), NAME)
  const days = text === undefined ? [] : (JSON.parse(text) as readonly WantedOfDay[])
  return days.filter(({ dayUs }) => BigInt(dayUs) >= startOfDay(nowUs) - DAYS * US_PER_DAY)
}
