import type { Lease } from '../../catalog/catalog.ts'
import type { Attempted } from '../../extract/attempt.ts'
import { readFacts } from '../../extract/facts.ts'
import { type RunCounts, sumReceipts } from '../../extract/receipts.ts'
import type { StreamSession } from '../../extract/stream-session.ts'
import type { Position } from '../../kernel/position.ts'
import type { Range } from '../../kernel/range.ts'

/** One run as lateness is measured from it: only what a generation's later runs have (spec E41). */
export interface MeasuredRun {
  readonly session: StreamSession
  readonly lease: Lease
  readonly oldWatermark: Position
  readonly range: Range & { readonly lower: Position }
  readonly overlap: bigint
  /** The source's clock at the fence, µs, and at the fence of the run before. */
  readonly t0Us: bigint
  readonly previousT0Us: bigint
  readonly counts: RunCounts
  /** Rows that no earlier run had, and the seconds in which they came: the load. */
  readonly newRows: number
  readonly seconds: number
}

/** Undefined for first runs, for runs that were held, and where the source has no clock. */
export function measuredRun(session: StreamSession, { fenced }: Attempted): MeasuredRun | undefined {
  const oldWatermark = session.claimAtStart.watermark
  const { range, fence, overlap } = fenced
  const previous = readFacts(session.claimAtStart.facts).t0
  if (!oldWatermark || !range?.lower || fence.t0 === '' || previous === '') return undefined
  const counts = sumReceipts(session.recorder.sliceReceipts)
  const [t0Us, previousT0Us] = [BigInt(fence.t0), BigInt(previous)]
  return {
    session,
    lease: session.lease.lease,
    oldWatermark,
    range: { lower: range.lower, upper: range.upper },
    overlap: overlap.amount,
    t0Us,
    previousT0Us,
    counts,
    newRows: counts.fresh + counts.late,
    seconds: Math.max(0, Number(t0Us - previousT0Us) / 1e6),
  }
}
