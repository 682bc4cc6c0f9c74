import { isTimeLike, lowerBound } from '../../kernel/moment.ts'
import type { CommitTime } from '../../sources/source.ts'
import type { MeasuredRun } from './measured-run.ts'

/** Looked at is this many times the overlap below the old watermark: rows below the overlap are lost ones (A40). */
const DEPTH = 2n
/** A share chosen by chance may bring somewhat more rows than expected. */
const SLACK = 2
const QUERY_MAX_MS = 10_000

/**
 * Commit times of the rows that this run could see and the one before could not, up to `latenessRowsPerRun` of them
 * (assurance A35). Undefined where there are none to be had.
 */
export async function askCommitTimes(run: MeasuredRun): Promise<readonly CommitTime[] | undefined> {
  const { session, oldWatermark, range, overlap, newRows } = run
  const { engine, shape, choice, settings } = session
  if (newRows === 0 || !engine.source.commitTimes || !isTimeLike(choice.order)) return undefined
  const { limits } = settings
  return engine.source.commitTimes({
    shape,
    order: choice.order,
    range: { lower: lowerBound(choice.order, oldWatermark, overlap * DEPTH), upper: range.upper },
    committedAfterUs: run.previousT0Us,
    committedUntilUs: run.t0Us,
    share: Math.min(1, limits.latenessRowsPerRun / newRows),
    rowLimit: limits.latenessRowsPerRun * SLACK,
    queryMaxMs: Math.min(limits.checkQueryMaxMs, QUERY_MAX_MS),
    lockTimeoutMs: limits.lockTimeoutMs,
  })
}
