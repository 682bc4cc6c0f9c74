import { formatDateUs, formatTimestampUs, parseTimestamp } from '../../kernel/calendar.ts'
import type { PositionOrder } from '../../kernel/order.ts'
import type { Position, PositionJson } from '../../kernel/position.ts'
import type { Range } from '../../kernel/range.ts'
import { quoteIdentifier, quoteLiteral } from '../../kernel/sql-text.ts'

/** SQL that compares positions at the destination. Bounds are literals of the column's own type (spec E4, E10). */

const CAST: Partial<Record<Position['kind'], string>> = {
  timestamptz: 'timestamptz',
  timestamp: 'timestamp',
  date: 'date',
}

/** The position of a row under an alias, comparable in the source's order: text by its bytes (spec E7). */
export function positionOf(alias: string, order: PositionOrder, asText = false): string {
  const column = `${alias}.${quoteIdentifier(order.column)}`
  if (order.kind === 'text') return `${column}::text COLLATE "C"`
  if (!asText) return column
  return `${column}::${CAST[order.kind] ?? 'numeric'}`
}

/** A position as a literal that takes the type of the column beside it. */
export function positionLiteral(position: Position): string {
  if (position.kind === 'text') return `${quoteLiteral(position.value)}::text COLLATE "C"`
  if (position.kind === 'timestamptz')
    return `${quoteLiteral(formatTimestampUs(position.value, '+00'))}::timestamptz`
  if (position.kind === 'timestamp') return `${quoteLiteral(formatTimestampUs(position.value))}::timestamp`
  if (position.kind === 'date') return `${quoteLiteral(formatDateUs(position.value))}::date`
  return `(${position.value})`
}

/** True for rows below a bound; false for rows without a place in the order. */
export function isBelow(expression: string, bound: Position): string {
  return `coalesce(${expression} < ${positionLiteral(bound)}, false)`
}

/** Half-open, as every range (spec E10). On the bare column, so that an index serves. */
export function isInRange(expression: string, { lower, upper }: Range): string {
  const below = `${expression} < ${positionLiteral(upper)}`
  return lower === undefined ? below : `${expression} >= ${positionLiteral(lower)} AND ${below}`
}

/** How the position of one row stands to another's: the classes of spec E41. A row without a place counts as older. */
export function isOlder(present: string, incoming: string): string {
  return `(${present} IS NULL OR ${present} < ${incoming})`
}

export function isEqual(present: string, incoming: string): string {
  return `${present} = ${incoming}`
}

export function isNewer(present: string, incoming: string): string {
  return `${present} > ${incoming}`
}

/** A position as the server printed it, exact (spec E2), or undefined for a word such as `infinity`. */
export function positionFromText(text: string, order: PositionOrder): PositionJson | undefined {
  if (!(order.kind in CAST)) return { kind: order.kind, value: text }
  const value = parseTimestamp(text)
  return value === undefined ? undefined : { kind: order.kind, value: String(value) }
}
