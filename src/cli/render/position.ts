import { isTimeLike } from '../../kernel/moment.ts'
import type { PositionOrder } from '../../kernel/order.ts'
import { type Position, type PositionJson, positionFromJson, positionToJson } from '../../kernel/position.ts'
import { formatPosition } from '../../kernel/print.ts'
import type { Range } from '../../kernel/range.ts'
import { formatCount, formatUs } from './quantity.ts'

/** A position in JSON: exact text with its kind, and as people read it. */
export function positionJson(position: Position | undefined): (PositionJson & { text: string }) | null {
  return position ? { ...positionToJson(position), text: formatPosition(position) } : null
}

/** A stored position as people read it; `-∞` for none. */
export function formatStored(json: PositionJson | null | undefined): string {
  return formatPosition(json ? positionFromJson(json) : undefined)
}

/** `[lower, upper)` */
export function formatRange(range: Range): string {
  return `[${formatPosition(range.lower)}, ${formatPosition(range.upper)})`
}

/** An amount of overlap: a duration for positions in time, a count otherwise. */
export function formatAmount(amount: string, timeLike: boolean): string {
  return timeLike ? formatUs(BigInt(amount)) : formatCount(Number(amount))
}

/** Whether the overlap of a stream is a duration, as far as a position's kind and flavour tell. */
export function amountsAreTime(order: Pick<PositionOrder, 'kind'> & { readonly flavour?: string }): boolean {
  return isTimeLike(order as PositionOrder)
}
