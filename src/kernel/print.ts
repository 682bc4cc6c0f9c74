import { formatDateUs, formatTimestampUs, parseTimestamp } from './calendar.ts'
import { isTimeLike, usToPosition } from './moment.ts'
import type { PositionOrder } from './order.ts'
import type { Position } from './position.ts'

/** A position for a person, exact: all six digits of a timestamp; `-∞` for none. */
export function formatPosition(position: Position | undefined): string {
  if (position === undefined) return '-∞'
  if (position.kind === 'timestamptz') return formatTimestampUs(position.value, 'Z')
  if (position.kind === 'timestamp') return formatTimestampUs(position.value)
  if (position.kind === 'date') return formatDateUs(position.value)
  return String(position.value)
}

const SPANS: readonly (readonly [bigint, string])[] = [
  [86_400_000_000n, 'd'],
  [3_600_000_000n, 'h'],
  [60_000_000n, 'min'],
  [1_000_000n, 's'],
  [1_000n, 'ms'],
]

/** A span of µs in the largest unit that divides it: `1 s`, `1500 ms`. */
export function formatSpanUs(us: bigint): string {
  const [size, unit] = SPANS.find(([each]) => us !== 0n && us % each === 0n) ?? [1n, 'µs']
  return `${us / size} ${unit}`
}

/**
 * A position typed by a person (`--from`), in the stream's order: a timestamp or date for time-like orders (also for
 * epochs and identifiers), the number, or the text itself. Undefined when it is none of these.
 */
export function parsePosition(order: PositionOrder, text: string): Position | undefined {
  const number = /^-?\d+$/.test(text)
  if (number && (order.kind === 'integer' || order.kind === 'xid8'))
    return { kind: order.kind, value: BigInt(text) }
  if (!isTimeLike(order)) return undefined
  const us = parseTimestamp(text)
  if (us !== undefined) return usToPosition(order, us)
  return order.kind === 'text' ? { kind: 'text', value: text } : undefined
}
