import type { Catalog } from '../../catalog/catalog.ts'
import { type RecordView, readRecord } from '../../extract/record-view.ts'
import type { StreamSettings } from '../../extract/settings.ts'
import type { PastCheck } from './facts.ts'
import type { ChecksRan } from './question.ts'

const RECORDS = 2_000
const MONTH_SECONDS = 30 * 86_400

type Check = RecordView & { readonly word?: string; readonly from?: string | null }

/** Whole-table checks of a stream and what they cost; those of a window cost what the window costs, not the table. */
export async function pastChecks(
  catalog: Catalog,
  { catalogKey, limits }: StreamSettings,
): Promise<readonly PastCheck[]> {
  const records = await recordsOf(catalog, catalogKey)
  return records
    .filter((check) => isCheck(check) && (check.from === null || check.from === undefined))
    .flatMap(({ kind = '', opened_us, closed_us, counts = {} }) => {
      if (opened_us === undefined || closed_us === undefined) return []
      const seconds = Number(BigInt(closed_us) - BigInt(opened_us)) / 1e6
      return [{ kind, seconds, rows: counts.equal ?? 0, windowSeconds: limits.reconcileMaxAgeMs / 1000 }]
    })
}

/** When each check last ran (assurance A47). */
export async function checksRan(
  catalog: Catalog,
  catalogKey: string,
): Promise<Pick<ChecksRan, 'auditUs' | 'contentUs' | 'reconcileUs' | 'runUs'>> {
  const records = await recordsOf(catalog, catalogKey)
  const last = (fits: (check: Check) => boolean): bigint | undefined => {
    const found = records.find(fits)?.opened_us
    return found === undefined ? undefined : BigInt(found)
  }
  return {
    auditUs: last(isCheck),
    contentUs: last((check) => isCheck(check) && check.word === 'row'),
    reconcileUs: last(({ kind }) => kind === 'reconcile'),
    runUs: last(({ kind, outcome }) => kind === 'run' && outcome !== 'failed' && outcome !== 'abandoned'),
  }
}

/** Between the two last checks of the rarest kind; a month where that is not known (assurance A14). */
export async function slowestInterval(catalog: Catalog, catalogKey: string): Promise<number> {
  const [last, before] = (await recordsOf(catalog, catalogKey)).filter(({ kind }) => kind === 'reconcile')
  if (!last?.opened_us || !before?.opened_us) return MONTH_SECONDS
  return Number(BigInt(last.opened_us) - BigInt(before.opened_us)) / 1e6
}

const isCheck = ({ kind }: Check): boolean => kind === 'audit' || kind === 'reconcile'

async function recordsOf(catalog: Catalog, catalogKey: string): Promise<readonly Check[]> {
  return (await catalog.records(catalogKey, RECORDS)).map(readRecord)
}
