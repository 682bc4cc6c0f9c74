import { assert } from '../../../kernel/assert.ts'
import { formatDateUs, formatTimestampUs, parseTimestamp, US_PER_DAY } from '../../../kernel/calendar.ts'
import type { PositionOrder } from '../../../kernel/order.ts'
import type { Position } from '../../../kernel/position.ts'
import { quoteLiteral } from '../../../kernel/sql-text.ts'

/** A position as a literal of the column's own type, exact to the microsecond (spec E4). */
export function positionLiteral(position: Position, nativeType: string): string {
  switch (position.kind) {
    case 'timestamptz':
      return `'${formatTimestampUs(position.value, '+00')}'::timestamptz`
    case 'timestamp':
      return `'${formatTimestampUs(position.value)}'::timestamp`
    case 'date':
      assert(position.value % US_PER_DAY === 0n, `a date bound inside a day: ${position.value}`)
      return `'${formatDateUs(position.value)}'::date`
    case 'xid8':
      return `'${position.value}'::xid8`
    case 'integer':
      return nativeType.startsWith('numeric') ? `'${position.value}'::numeric` : `'${position.value}'::bigint`
    case 'text':
      return typedLiteral(position.value, nativeType)
  }
}

/** A text of the server's own notation as a literal of a type; text types stay bare, so the column decides. */
export function typedLiteral(text: string, nativeType: string): string {
  return /^(text|character|"char"|name$)/.test(nativeType)
    ? quoteLiteral(text)
    : `${quoteLiteral(text)}::${nativeType}`
}

/** A position from the text the server prints for it. */
export function positionFromText(order: PositionOrder, text: string): Position {
  if (order.kind === 'text') return { kind: 'text', value: text }
  if (order.kind === 'integer' || order.kind === 'xid8') return { kind: order.kind, value: BigInt(text) }
  const value = parseTimestamp(text)
  assert(value !== undefined, `the server printed a ${order.kind} we cannot read: ${text}`)
  return { kind: order.kind, value }
}
