import type { Catalog } from '../../catalog/catalog.ts'
import type { History } from './learned.ts'
import { loadStore } from './store.ts'

/** How far back lateness counts for judgements (assurance A18, A20, A38). */
export const JUDGED_DAYS = 14

export async function loadHistory(
  catalog: Catalog,
  catalogKey: string,
  nowUs: bigint,
  days: number,
): Promise<History> {
  return {
    commit: await loadStore(catalog, catalogKey, 'commit', nowUs, days),
    lateRows: await loadStore(catalog, catalogKey, 'late_rows', nowUs, days),
    open: await loadStore(catalog, catalogKey, 'open', nowUs, days),
  }
}
