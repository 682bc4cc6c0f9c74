import type { Catalog } from '../catalog/catalog.ts'
import type { OrderJson } from '../extract/facts.ts'
import { type RecordView, readRecord } from '../extract/record-view.ts'

/** A run that ended and took a fence, as later judgements need it. */
export interface PastRunFacts {
  readonly openedUs: bigint
  /** The source's clock at the fence; undefined where it has none. */
  readonly t0Us: bigint | undefined
  readonly seconds: number
  readonly rowsRead: number
  /** Rows that no earlier run had. */
  readonly newRows: number
  readonly inserted: number
  readonly byteSize: number
  readonly overlap: { readonly amount: bigint; readonly origin: string } | undefined
  readonly order: OrderJson | undefined
  readonly method: string
  readonly proof: string
  /** Of the oldest transaction that the fence waited for, µs; 0 for none. */
  readonly oldestTransactionUs: bigint
}

/** The last runs of a stream, newest first; backfills, repairs, checks and runs that failed are left out. */
export async function pastRuns(
  catalog: Catalog,
  catalogKey: string,
  limit: number,
): Promise<readonly PastRunFacts[]> {
  const records = await catalog.records(catalogKey, limit)
  return records.map(readRecord).filter(isRun).map(factsOf)
}

const isRun = ({ kind, outcome }: RecordView): boolean =>
  kind === 'run' && (outcome === 'advanced' || outcome === 'empty' || outcome === 'held')

function factsOf(record: RecordView): PastRunFacts {
  const { counts = {}, fence } = record
  const witness = fence?.witnesses?.[0]?.transactionAgeUs
  return {
    openedUs: BigInt(record.opened_us ?? '0'),
    t0Us: fence?.t0 === undefined || fence.t0 === '' ? undefined : BigInt(fence.t0),
    seconds: (record.durations_ms?.total ?? 0) / 1000,
    rowsRead: counts.rows_read ?? 0,
    newRows: (counts.fresh ?? 0) + (counts.late ?? 0),
    inserted: counts.inserted ?? 0,
    byteSize: counts.bytes_read ?? 0,
    overlap: record.overlap && { amount: BigInt(record.overlap.amount), origin: record.overlap.origin },
    order: record.order,
    method: fence?.method ?? '',
    proof: fence?.proof ?? 'assumed',
    oldestTransactionUs: BigInt(typeof witness === 'string' ? witness : '0'),
  }
}

/** Seconds from one start to the next, the middle one; undefined with fewer than two runs. */
export function usualPeriod(runs: readonly Pick<PastRunFacts, 'openedUs'>[]): number | undefined {
  const gaps = runs.slice(1).map((older, i) => Number(runs[i]!.openedUs - older.openedUs) / 1e6)
  const sorted = gaps.filter((gap) => gap > 0).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
