import { assert, unreachable } from '../../kernel/assert.ts'
import type { PositionOrder } from '../../kernel/order.ts'
import type { Position, PositionJson } from '../../kernel/position.ts'
import type { Range } from '../../kernel/range.ts'
import { quoteIdentifier, quoteLiteral } from '../../kernel/sql-text.ts'
import type { TargetColumn } from './target-columns.ts'

/** The only file here that compares positions (spec E1, E3, E10). A position is a HUGEINT, for text a VARCHAR. */

/** A row's position, or NULL when it has no place in the order (NULL, infinite, or text that is no position). */
export function positionOf(order: PositionOrder, columns: readonly TargetColumn[], alias: string): string {
  const column = columns.find(({ name }) => name === order.column)
  assert(column, `the position column ${order.column} is no column of the table`)
  const value = `${alias}.${quoteIdentifier(order.column)}`
  const isText = column.sqlType === 'VARCHAR'
  switch (order.kind) {
    case 'text':
      return `${value}::VARCHAR`
    case 'integer':
    case 'xid8':
      return isText ? `TRY_CAST(${value} AS HUGEINT)` : `${value}::HUGEINT`
    case 'timestamp':
    case 'timestamptz':
      // NULL for infinity.
      return `epoch_us(${isText ? `TRY_CAST(${value} AS TIMESTAMPTZ)` : value})::HUGEINT`
    case 'date': {
      const date = isText ? `TRY_CAST(${value} AS DATE)` : value
      return `CASE WHEN isfinite(${date}) THEN (${date} - DATE '1970-01-01')::HUGEINT * 86400000000 END`
    }
    default:
      return unreachable(order.kind)
  }
}

export function positionLiteral(position: Position): string {
  if (position.kind === 'text') return quoteLiteral(position.value)
  return `${quoteLiteral(String(position.value))}::HUGEINT`
}

/** False also for rows without a position. */
export const isBelow = (position: string, bound: Position): string =>
  `coalesce(${position} < ${positionLiteral(bound)}, false)`

export const isOlder = (a: string, b: string): string => `${a} < ${b}`

/** Half-open (spec E10). */
export function isInRange(position: string, { lower, upper }: Range): string {
  const above = lower ? `${position} >= ${positionLiteral(lower)} AND ` : ''
  return `coalesce(${above}${position} < ${positionLiteral(upper)}, false)`
}

/** Of the bare column, for picking some of the newest rows; infinite ones come first. */
export const newestFirst = (column: string): string => `${column} DESC NULLS LAST`

export const deepestFirst = (position: string): string => `${position} ASC`

export function positionJson(order: PositionOrder, text: string): PositionJson {
  return { kind: order.kind, value: text }
}
