import type { Catalog } from '../../catalog/catalog.ts'
import type { StoredClaim } from '../../destinations/destination.ts'
import { readRecord } from '../../extract/record-view.ts'
import type { StreamSettings } from '../../extract/settings.ts'
import type { Source } from '../../sources/source.ts'
import { ceiling } from '../audit/gather-evidence.ts'
import { NOTHING_MEASURED } from '../audit/lateness-knowledge.ts'
import { latenessKnowledge } from '../lateness/knowledge.ts'
import { pastRuns, usualPeriod } from '../past-runs.ts'

/** What catalog and destination know of a stream, for judging it. */
export interface Known {
  readonly ceilingUs: bigint
  readonly periodSeconds: number
  readonly reconciledDaysAgo: number | undefined
  readonly claim: StoredClaim | undefined
}

const HOUR_SECONDS = 3_600
const DAY_US = 86_400_000_000n
const RECORDS_LOOKED = 1_000

/** Without a catalog: an hourly run, and an hour as the longest lateness there is (A20). */
export async function whatIsKnown(
  source: Source,
  catalog: Catalog | undefined,
  settings: StreamSettings,
  claims: readonly StoredClaim[],
): Promise<Known> {
  const claim = claims.find(({ stream }) => stream === settings.stream)
  if (!catalog) {
    return {
      ceilingUs: ceiling(NOTHING_MEASURED),
      periodSeconds: HOUR_SECONDS,
      reconciledDaysAgo: undefined,
      claim,
    }
  }
  return {
    ceilingUs: ceiling(await latenessKnowledge({ catalog, source }, settings)),
    periodSeconds: usualPeriod(await pastRuns(catalog, settings.catalogKey, RECORDS_LOOKED)) ?? HOUR_SECONDS,
    reconciledDaysAgo: await reconciledDaysAgo(catalog, settings.catalogKey),
    claim,
  }
}

async function reconciledDaysAgo(catalog: Catalog, catalogKey: string): Promise<number | undefined> {
  const records = (await catalog.records(catalogKey, RECORDS_LOOKED)).map(readRecord)
  const last = records.find(({ kind, outcome }) => kind === 'reconcile' && outcome === 'checked')
  if (last?.closed_us === undefined) return undefined
  return Number((catalog.nowUs() - BigInt(last.closed_us)) / DAY_US)
}
