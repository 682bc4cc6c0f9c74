import { encodingPattern } from '../../../kernel/encoding-pattern.ts'
import type { LookScope } from '../../../kernel/fingerprint/comparison.ts'
import { quoteIdentifier, quoteLiteral, quoteTable } from '../../../kernel/sql-text.ts'
import type { TargetTable } from '../../destination.ts'
import { DELETED, SEQ } from '../landing-plan.ts'
import { isInRange, positionLiteral, positionOf } from '../position-sql.ts'

/** The rows that a check sees, as a relation: in history mode each key's newest version; tombstones are absent (A7). */
export function lookRelation(table: TargetTable, hasTombstones: boolean): string {
  const target = quoteTable(table.target)
  const newest = table.mode === 'history' ? `(${newestVersions(table, target, 'true')})` : target
  return hasTombstones ? `(SELECT * FROM ${newest} v WHERE ${DELETED} IS NULL)` : newest
}

export function newestVersions({ key }: TargetTable, target: string, condition: string): string {
  const keys = key.map((name) => `t.${quoteIdentifier(name)}`).join(', ')
  return `SELECT DISTINCT ON (${keys}) t.* FROM ${target} t WHERE ${condition} ORDER BY ${keys}, t.${SEQ} DESC`
}

/** The same rows as the source's scope means: what has no place in the order is `unordered` (spec E43). */
export function scopeCondition(table: TargetTable, scope: LookScope, alias: string): string {
  if (scope.rows === 'all') return 'true'
  const position = positionOf(alias, table.order, table.asText.includes(table.order.column))
  const ordered = orderedCondition(table, position)
  if (scope.rows === 'unordered') return `(${ordered}) IS NOT TRUE`
  const { lower, upper } = scope
  if (upper) return `${ordered} AND ${isInRange(position, { lower, upper })}`
  return lower ? `${ordered} AND ${position} >= ${positionLiteral(lower)}` : ordered
}

function orderedCondition({ order }: TargetTable, position: string): string {
  const pattern = encodingPattern(order)
  if (pattern) return `${position} ~ ${quoteLiteral(pattern)}`
  const isCalendar = order.kind === 'timestamptz' || order.kind === 'timestamp' || order.kind === 'date'
  if (!isCalendar) return `${position} IS NOT NULL`
  const first = order.kind === 'timestamptz' ? '0001-01-01 00:00:00+00' : '0001-01-01'
  return `${position} >= '${first}'::${order.kind} AND ${position} < 'infinity'::${order.kind}`
}
