import type { Catalog } from '../../catalog/catalog.ts'
import { type RecordView, readRecord } from '../../extract/record-view.ts'
import { looksAtRange } from './looks-at-range.ts'

const RECORDS = 10_000

/**
 * Runs whose receipt check found fewer rows at the destination than were read, while no check has looked at their range
 * since (spec A13). `clean`: only one that found nothing counts; else one that named the rows does as well.
 */
export async function unsettledReceipts(
  catalog: Catalog,
  catalogKey: string,
  { clean }: { readonly clean: boolean },
): Promise<readonly RecordView[]> {
  const checks: RecordView[] = []
  const unsettled: RecordView[] = []
  for (const record of await catalog.records(catalogKey, RECORDS)) {
    const view = readRecord(record)
    const isCheck = view.kind === 'audit' || view.kind === 'reconcile'
    if (isCheck && (!clean || (view.counts?.findings ?? 0) === 0)) checks.push(view)
    const isSettled = view.receipt_check?.verdict !== 'differs' || checks.some((c) => looksAtRange(c, view))
    if (!isSettled) unsettled.push(view)
  }
  return unsettled
}
