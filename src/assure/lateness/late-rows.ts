import type { Receipt } from '../../destinations/destination.ts'
import { latenessDepth } from '../../kernel/lateness.ts'
import { isTimeLike, positionToUs } from '../../kernel/moment.ts'
import type { PositionOrder } from '../../kernel/order.ts'
import { type Position, positionFromJson } from '../../kernel/position.ts'
import { addTo, emptySketch } from './sketch.ts'

/** One run as its late rows see it. */
export interface LateRowsRun {
  readonly order: PositionOrder
  readonly oldWatermark: Position
  readonly overlap: bigint
  /** The source's clock at the run's fence, µs. */
  readonly t0Us: bigint
  readonly receipts: readonly Receipt[]
}

/**
 * Late rows by depth (assurance A34). A row that this run saw and the one before did not has a lateness in
 * `(t₋₁ − p, t − p]`: its upper end is kept, for these may raise an overlap and never lower it. Positions that are no
 * instants are kept by their depth.
 */
export function measureLateRows({ order, oldWatermark, overlap, t0Us, receipts }: LateRowsRun) {
  const sketch = emptySketch()
  let deepest = 0n
  for (const { lateRows } of receipts) {
    for (const late of lateRows) {
      const position = positionFromJson(late.position)
      const depth = latenessDepth(order, oldWatermark, position)
      if (depth === undefined || depth <= 0n) continue
      if (depth > deepest) deepest = depth
      addTo(sketch, Number(upperEnd(order, position, t0Us) ?? depth))
    }
  }
  const share = overlap > 0n ? Number(deepest) / Number(overlap) : 0
  return { sketch, deepest: Number(deepest), deepestShare: share }
}

function upperEnd(order: PositionOrder, position: Position, t0Us: bigint): bigint | undefined {
  if (!isTimeLike(order) || order.kind === 'timestamp' || order.kind === 'date') return undefined
  const us = positionToUs(order, position)
  return us === undefined || us > t0Us ? undefined : t0Us - us
}
