import type { Catalog } from '../../catalog/catalog.ts'
import { formatTimestampUs, parseTimestamp, US_PER_DAY, US_PER_HOUR } from '../../kernel/calendar.ts'
import type { OpenTransaction, OpenTransactions, ServerIdentity } from '../../sources/source.ts'
import { KEPT_DAYS } from './store.ts'

/** A transaction that was open for longer than the time between looks; µs as text. */
export interface SeenTransaction extends OpenTransaction {
  readonly firstSeenUs: string
  readonly lastSeenUs: string
}

/** One hour of looks. A stretch has no gap: between two of its looks lies at most `gapUs`. */
export interface SamplerHour {
  readonly stretches: readonly { readonly fromUs: string; readonly toUs: string; readonly gapUs: string }[]
  readonly seen: readonly SeenTransaction[]
}

/** The catalog's scope for what was seen of a source's transactions; streams of one database share it. */
export const samplerScope = ({ engine, id, database }: ServerIdentity): string =>
  `sampler:${engine}/${id}/${database}`

/** Looks may come this many times later than asked for before that is a gap. */
const PATIENCE = 2.5

/**
 * Keeps one look: the transactions older than `samplerMs`, and that there was a look (assurance A19). One that could not
 * see everybody is kept as none. Two processes that write at once may lose a look, and then it is a gap.
 */
export async function keepLook(
  catalog: Catalog,
  scope: string,
  look: OpenTransactions,
  samplerMs: number,
): Promise<void> {
  const takenUs = BigInt(look.takenUs)
  const name = hourName(takenUs)
  const before = await loadHour(catalog, scope, name)
  const gapUs = BigInt(Math.round(samplerMs * PATIENCE * 1000))
  const previous = before ?? (await loadHour(catalog, scope, hourName(takenUs - US_PER_HOUR)))
  const old = look.transactions.filter(
    ({ startUs, prepared }) => prepared || takenUs - BigInt(startUs) >= BigInt(Math.round(samplerMs * 1000)),
  )
  const hour: SamplerHour = {
    stretches: look.complete
      ? addStretch(before?.stretches ?? [], previous?.stretches ?? [], takenUs, gapUs)
      : (before?.stretches ?? []),
    seen: addSeen(before?.seen ?? [], old, look.takenUs),
  }
  await catalog.remember(scope, name, JSON.stringify(hour))
  if (!before) await forgetOld(catalog, scope, takenUs)
}

/** Every hour that is kept of the last `days` days, oldest first. */
export async function loadHours(
  catalog: Catalog,
  scope: string,
  nowUs: bigint,
  days: number,
): Promise<readonly SamplerHour[]> {
  const hours: SamplerHour[] = []
  for (const name of await catalog.memoryNames(scope, PREFIX)) {
    const at = timeOf(name)
    if (at === undefined || at < nowUs - BigInt(days) * US_PER_DAY) continue
    const hour = await loadHour(catalog, scope, name)
    if (hour) hours.push(hour)
  }
  return hours
}

type Stretches = SamplerHour['stretches']

function addStretch(own: Stretches, before: Stretches, takenUs: bigint, gapUs: bigint): Stretches {
  const last = before.at(-1)
  const goesOn = last !== undefined && takenUs - BigInt(last.toUs) <= gapUs
  const fromUs = goesOn ? (own.length > 0 ? last.fromUs : last.toUs) : String(takenUs)
  const stretch = { fromUs, toUs: String(takenUs), gapUs: String(gapUs) }
  return goesOn && own.length > 0 ? [...own.slice(0, -1), stretch] : [...own, stretch]
}

function addSeen(
  before: readonly SeenTransaction[],
  now: readonly OpenTransaction[],
  takenUs: string,
): readonly SeenTransaction[] {
  const seen = new Map(before.map((each) => [keyOf(each), each]))
  for (const each of now) {
    const known = seen.get(keyOf(each))
    const firstSeenUs = known?.firstSeenUs ?? takenUs
    const transaction = each.transaction ?? known?.transaction
    seen.set(keyOf(each), { ...each, transaction, firstSeenUs, lastSeenUs: takenUs })
  }
  return [...seen.values()]
}

export const keyOf = ({ session, startUs }: OpenTransaction): string => `${session}@${startUs}`

const PREFIX = 'hour/'
const hourName = (us: bigint): string => `${PREFIX}${formatTimestampUs(us).slice(0, 13)}`
const timeOf = (name: string): bigint | undefined => parseTimestamp(`${name.slice(PREFIX.length)}:00:00`)

async function loadHour(catalog: Catalog, scope: string, name: string): Promise<SamplerHour | undefined> {
  const text = await catalog.memory(scope, name)
  return text === undefined ? undefined : (JSON.parse(text) as SamplerHour)
}

async function forgetOld(catalog: Catalog, scope: string, nowUs: bigint): Promise<void> {
  for (const name of await catalog.memoryNames(scope, PREFIX)) {
    const at = timeOf(name)
    if (at !== undefined && at < nowUs - BigInt(KEPT_DAYS) * US_PER_DAY)
      await catalog.remember(scope, name, undefined)
  }
}
