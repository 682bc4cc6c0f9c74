import type { StoredClaim } from '../../destinations/destination.ts'
import { assert } from '../../kernel/assert.ts'
import { isTimeLike, lowerBound, positionToUs, usToPosition } from '../../kernel/moment.ts'
import type { PositionOrder } from '../../kernel/order.ts'
import type { Position } from '../../kernel/position.ts'
import type { Bounds } from './classify.ts'

/**
 * The bounds of the zones (spec A8): the settled bound is the lower bound of the next run. `overlap` is what the last run
 * read below its watermark, in overlap units; `takenUs` the source's clock at its snapshot.
 */
export function zoneBounds(
  order: PositionOrder,
  claim: StoredClaim,
  overlap: bigint,
  takenUs: string,
  futureToleranceMs: number,
): Bounds {
  const { watermark } = claim
  assert(watermark, `${claim.stream} has no watermark`)
  return {
    order,
    settled: lowerBound(order, watermark, overlap),
    watermark,
    futureFrom: futureBound(order, takenUs, futureToleranceMs),
  }
}

/** Wall times have no distance to a clock; counters know no future (spec E43). */
function futureBound(order: PositionOrder, takenUs: string, toleranceMs: number): Position | undefined {
  const isWall = order.kind === 'timestamp' || order.kind === 'date'
  if (!isTimeLike(order) || isWall || takenUs === '') return undefined
  return usToPosition(order, BigInt(takenUs) + BigInt(toleranceMs) * 1000n)
}

/** So far below the settled bound a check looks; undefined: everywhere, as a window that begins before 1970 does. */
export function windowStart({ order, settled }: Bounds, window: bigint | undefined): Position | undefined {
  if (window === undefined) return undefined
  const us = isTimeLike(order) ? positionToUs(order, settled) : undefined
  return us !== undefined && us - window < 0n ? undefined : lowerBound(order, settled, window)
}
