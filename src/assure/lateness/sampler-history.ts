import type { Catalog } from '../../catalog/catalog.ts'
import { keyOf, loadHours, type SamplerHour, type SeenTransaction } from './sampler-log.ts'

/** What the sampler saw, by time; all moments µs since 1970 by the source's clock (assurance A19). */
export interface SamplerHistory {
  /** Transactions seen open at some moment of `[fromUs, toUs]`, and whether there was no gap in it. */
  openTransactionsBetween(
    fromUs: bigint,
    toUs: bigint,
  ): { readonly transactions: readonly SeenTransaction[]; readonly withoutGap: boolean }
  /** The longest that one was seen open, prepared ones left out; undefined when none was. */
  readonly longestUs: bigint | undefined
}

export async function loadSamplerHistory(
  catalog: Catalog,
  scope: string,
  nowUs: bigint,
  days: number,
): Promise<SamplerHistory> {
  const hours = await loadHours(catalog, scope, nowUs, days)
  const seen = mergeSeen(hours)
  const stretches = mergeStretches(hours)
  return {
    openTransactionsBetween: (fromUs, toUs) => ({
      transactions: seen.filter(
        (each) => BigInt(each.startUs) <= toUs && BigInt(each.lastSeenUs) + gapAt(stretches, each) >= fromUs,
      ),
      withoutGap: stretches.some(
        (stretch) => stretch.fromUs <= fromUs && toUs <= stretch.toUs + stretch.gapUs,
      ),
    }),
    longestUs: longestOf(seen),
  }
}

interface Stretch {
  readonly fromUs: bigint
  readonly toUs: bigint
  readonly gapUs: bigint
}

function mergeSeen(hours: readonly SamplerHour[]): readonly SeenTransaction[] {
  const seen = new Map<string, SeenTransaction>()
  for (const each of hours.flatMap((hour) => hour.seen)) {
    const known = seen.get(keyOf(each))
    const transaction = each.transaction ?? known?.transaction
    seen.set(keyOf(each), { ...each, transaction, firstSeenUs: known?.firstSeenUs ?? each.firstSeenUs })
  }
  return [...seen.values()]
}

/** Hours go on where the one before ended: their stretches touch. */
function mergeStretches(hours: readonly SamplerHour[]): readonly Stretch[] {
  const sorted = hours
    .flatMap((hour) => hour.stretches)
    .map((each) => ({ fromUs: BigInt(each.fromUs), toUs: BigInt(each.toUs), gapUs: BigInt(each.gapUs) }))
    .sort((a, b) => (a.fromUs < b.fromUs ? -1 : 1))
  const merged: Stretch[] = []
  for (const each of sorted) {
    const last = merged.at(-1)
    if (!last || each.fromUs > last.toUs) merged.push(each)
    else {
      const toUs = each.toUs > last.toUs ? each.toUs : last.toUs
      merged[merged.length - 1] = {
        fromUs: last.fromUs,
        toUs,
        gapUs: last.gapUs > each.gapUs ? last.gapUs : each.gapUs,
      }
    }
  }
  return merged
}

/** It may have lived on until the look after the last one that saw it. */
function gapAt(stretches: readonly Stretch[], { lastSeenUs }: SeenTransaction): bigint {
  const at = BigInt(lastSeenUs)
  return stretches.find((each) => each.fromUs <= at && at <= each.toUs)?.gapUs ?? 0n
}

function longestOf(seen: readonly SeenTransaction[]): bigint | undefined {
  const lengths = seen
    .filter(({ prepared }) => !prepared)
    .map(({ startUs, lastSeenUs }) => BigInt(lastSeenUs) - BigInt(startUs))
  return lengths.length === 0 ? undefined : lengths.reduce((a, b) => (a > b ? a : b))
}
