import type { Difference } from './compare.ts'
import type { DemoClaim } from './plimsoll-copy.ts'
import type { ShopTable } from './shop.ts'

/** What one copy was worth in the end. */
export interface CopyResult extends Difference {
  readonly id: string
  readonly title: string
  readonly usage: string
  readonly why: string
  /** Rows that all its runs read together. */
  readonly rows_read: number
  readonly tables: Readonly<Record<ShopTable, Difference>>
}

/**
 * `shown`: Plimsoll's copy is the source, and a usual one is not. `plimsoll_failed`: a defect of ours.
 * `nothing_shown`: every copy is right, so the day proved nothing.
 */
export type Verdict = 'shown' | 'plimsoll_failed' | 'nothing_shown'

/** The demo's outcome, as `--json` prints it. */
export interface DemoResult {
  readonly verdict: Verdict
  readonly seed: number
  readonly seconds: number
  readonly writer_processes: number
  readonly transactions: number
  readonly rolled_back: number
  readonly committed_late: number
  readonly hold_seconds: number
  readonly extractions: number
  /** Extractions in which Plimsoll's watermark stood because a transaction was open. */
  readonly held: number
  readonly source_rows: number
  readonly newest_stamp: string
  readonly copies: readonly CopyResult[]
  readonly plimsoll: CopyResult
  readonly claim: DemoClaim | undefined
  readonly duration_seconds: number
}

export function judge(plimsoll: Difference, usual: readonly Difference[]): Verdict {
  const wrong = ({ lost, duplicated, stale, invented }: Difference): number =>
    lost + duplicated + stale + invented
  if (wrong(plimsoll) > 0) return 'plimsoll_failed'
  return usual.some((each) => each.lost > 0) ? 'shown' : 'nothing_shown'
}
