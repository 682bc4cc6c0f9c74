import { positionDistance } from './moment.ts'
import type { PositionOrder } from './order.ts'
import type { Position } from './position.ts'

/** How deep below the old watermark a late row lay, in overlap units (spec E42); undefined outside the encoding. */
export function latenessDepth(
  order: PositionOrder,
  oldWatermark: Position,
  position: Position,
): bigint | undefined {
  return positionDistance(order, oldWatermark, position)
}

/** True when a late row used more than 0.8 of the overlap: the next one may be lost (spec E42). */
export function isNearOverlap(depth: bigint, overlap: bigint): boolean {
  return overlap > 0n && depth * 10n > overlap * 8n
}
