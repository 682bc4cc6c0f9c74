import { daysFromCivil, US_PER_DAY } from '../../../kernel/calendar.ts'
import { encodingPattern } from '../../../kernel/encoding-pattern.ts'
import type { LookScope } from '../../../kernel/fingerprint/comparison.ts'
import { quoteLiteral } from '../../../kernel/sql-text.ts'
import type { TargetTable } from '../../destination.ts'
import { isInRange, positionLiteral, positionOf } from '../position-sql.ts'
import { columnList, DELETED, SEQ, targetColumns, targetName } from '../target-columns.ts'

/** The rows that a check sees, as a relation: in history mode each key's newest version; tombstones are absent (A7). */
export function lookRelation(catalog: string, table: TargetTable, hasTombstones: boolean): string {
  const target = targetName(catalog, table.target)
  const newest =
    table.mode === 'history'
      ? `(SELECT * FROM ${target} QUALIFY row_number() OVER (PARTITION BY ${keyList(table)} ORDER BY ${SEQ} DESC) = 1)`
      : target
  return hasTombstones ? `(SELECT * FROM ${newest} WHERE ${DELETED} IS NULL)` : newest
}

export function keyList(table: TargetTable): string {
  return columnList(targetColumns(table).filter(({ isKey }) => isKey))
}

const FIRST_OF_ERA_US = daysFromCivil(1n, 1, 1) * US_PER_DAY

/** The same rows as the source's scope means: what has no place in the order is `unordered` (spec E43). */
export function scopeCondition(table: TargetTable, scope: LookScope, alias: string): string {
  if (scope.rows === 'all') return 'true'
  const position = positionOf(table.order, targetColumns(table), alias)
  const isOrdered = `coalesce(${orderedCondition(table, position)}, false)`
  if (scope.rows === 'unordered') return `NOT ${isOrdered}`
  const { lower, upper } = scope
  if (upper) return `${isOrdered} AND ${isInRange(position, { lower, upper })}`
  return lower ? `${isOrdered} AND ${position} >= ${positionLiteral(lower)}` : isOrdered
}

function orderedCondition({ order }: TargetTable, position: string): string {
  const pattern = encodingPattern(order)
  if (pattern) return `regexp_matches(${position}, ${quoteLiteral(pattern)})`
  const isCalendar = order.kind === 'timestamptz' || order.kind === 'timestamp' || order.kind === 'date'
  return isCalendar ? `${position} >= ${FIRST_OF_ERA_US}` : `${position} IS NOT NULL`
}
