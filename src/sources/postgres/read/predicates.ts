import { assert } from '../../../kernel/assert.ts'
import { encodingPattern } from '../../../kernel/encoding-pattern.ts'
import type { Lane } from '../../../kernel/lane.ts'
import { isTimeLike, usToPosition } from '../../../kernel/moment.ts'
import type { PositionOrder } from '../../../kernel/order.ts'
import type { Position } from '../../../kernel/position.ts'
import { quoteIdentifier, quoteLiteral } from '../../../kernel/sql-text.ts'
import { positionLiteral, typedLiteral } from './literals.ts'

/**
 * All SQL that compares positions or keys in PostgreSQL. Every bound is a literal of the column's own type on the bare
 * column, so that an index on it serves (spec E4); every range is half-open (E10).
 */

/** The position column as SQL must know it. */
export interface OrderedColumn {
  readonly order: PositionOrder
  /** Of a domain: its base type. */
  readonly nativeType: string
  readonly nullable: boolean
  /** Rows at or above this instant are the lane `future`; counters have none. */
  readonly futureFromUs: bigint | undefined
}

export interface KeyColumn {
  readonly name: string
  readonly nativeType: string
  readonly nullable: boolean
}

const INT8_MAX = 2n ** 63n - 1n
const INT8_MIN = -(2n ** 63n)

/** Rows with a position in `[lower, upper)` and in no lane; without `lower` all below `upper` (spec E43). */
export function rangePredicate(
  column: OrderedColumn,
  lower: Position | undefined,
  upper: Position | undefined,
): string {
  return all([
    lower ? atLeast(column, lower) : floorOfOrder(column),
    upper ? below(column, upper) : ceilingOfOrder(column),
    encodingFits(column),
  ])
}

/** Rows above `from` (or all) and below `upper` that are in no lane: where the next border is looked for (E46). */
export function borderPredicate(
  column: OrderedColumn,
  from: Position | undefined,
  upper: Position | undefined,
): string {
  return all([
    from ? above(column, from) : floorOfOrder(column),
    upper ? below(column, upper) : ceilingOfOrder(column),
    encodingFits(column),
  ])
}

/** `[from, future)`: what stands at or above the fence and is in no lane (spec E16). */
export function peekPredicate(column: OrderedColumn, from: Position): string {
  return rangePredicate(column, from, undefined)
}

/** The rows of each lane that can exist for this column; lanes are disjoint (spec E43). */
export function lanePredicates(column: OrderedColumn): ReadonlyMap<Lane, string> {
  const c = name(column)
  const lanes = new Map<Lane, string>()
  if (column.nullable) lanes.set('null', `${c} IS NULL`)
  if (isCalendar(column)) {
    lanes.set('infinity', `${c} = 'infinity'`)
    lanes.set('neg_infinity', `${c} = '-infinity'`)
    lanes.set('bc', `${c} > '-infinity' AND ${c} < ${firstOfEra(column)}`)
  }
  const future = futureLiteral(column)
  if (future) {
    const end = isCalendar(column) ? `${c} < 'infinity'` : encodingFits(column)
    lanes.set('future', all([`${c} >= ${future}`, end]))
  }
  const malformed = malformedPredicate(column)
  if (malformed) lanes.set('malformed', malformed)
  return lanes
}

/**
 * Rows after a key, in the order of `keyOrder`. NULLs stand last, which a row comparison cannot say; it is used where
 * no key column may be NULL, for an index on the key serves it.
 */
export function afterKeyPredicate(key: readonly KeyColumn[], after: readonly string[]): string {
  assert(key.length === after.length && key.length > 0, 'a key and its values have different lengths')
  const columns = key.map((column) => quoteIdentifier(column.name))
  const values = key.map((column, i) => typedLiteral(after[i]!, column.nativeType))
  if (key.every((column) => !column.nullable)) return `(${columns.join(', ')}) > (${values.join(', ')})`
  let predicate = ''
  for (let i = key.length - 1; i >= 0; i--) {
    const beyond = key[i]!.nullable
      ? `${columns[i]} > ${values[i]} OR ${columns[i]} IS NULL`
      : `${columns[i]} > ${values[i]}`
    predicate = predicate ? `(${beyond} OR (${columns[i]} = ${values[i]} AND ${predicate}))` : `(${beyond})`
  }
  return predicate
}

/** Rows of these keys; in a form that the key's index serves where no key column may be NULL. */
export function keysPredicate(
  key: readonly KeyColumn[],
  keys: readonly (readonly (string | null)[])[],
): string {
  assert(key.length > 0, 'rows are read by a key')
  if (keys.length === 0) return 'false'
  const columns = key.map((column) => quoteIdentifier(column.name))
  if (key.some((column) => column.nullable)) {
    const terms = keys.map((values) =>
      key.map((column, i) => isValue(column, values[i] ?? null)).join(' AND '),
    )
    return `(${terms.map((term) => `(${term})`).join(' OR ')})`
  }
  const rows = keys.map(
    (values) => `(${key.map((column, i) => typedLiteral(values[i]!, column.nativeType)).join(', ')})`,
  )
  return `(${columns.join(', ')}) IN (${rows.join(', ')})`
}

function isValue(column: KeyColumn, value: string | null): string {
  const name = quoteIdentifier(column.name)
  return value === null ? `${name} IS NULL` : `${name} = ${typedLiteral(value, column.nativeType)}`
}

export function keyOrder(key: readonly KeyColumn[], direction: 'ASC' | 'DESC' = 'ASC'): string {
  const nulls = direction === 'ASC' ? '' : ' DESC NULLS FIRST'
  return key.map((column) => `${quoteIdentifier(column.name)}${nulls}`).join(', ')
}

/** The newest distinct values in the order's encoding as `v`, hopping over the index: ties cost nothing (E5). */
export function newestDistinctQuery(table: string, order: PositionOrder, limit: number): string {
  const c = `t.${quoteIdentifier(order.column)}`
  const pattern = encodingPattern(order)
  const isCalendarOrder = order.kind !== 'integer' && order.kind !== 'text'
  const finite = isCalendarOrder ? `${c} > '-infinity'` : pattern ? `${c} ~ ${quoteLiteral(pattern)}` : ''
  const newest = (condition: string): string =>
    `(SELECT ${c} AS v FROM ${table} t WHERE ${all([condition, finite])} ORDER BY ${c} DESC LIMIT 1)`
  return `WITH RECURSIVE hop(v) AS (
    ${newest(isCalendarOrder ? `${c} < 'infinity'` : `${c} IS NOT NULL`)}
    UNION ALL SELECT ${newest(`${c} < hop.v`)} FROM hop WHERE hop.v IS NOT NULL
  ) SELECT v FROM hop WHERE v IS NOT NULL LIMIT ${limit}`
}

function atLeast(column: OrderedColumn, bound: Position): string {
  const place = againstInt8(column, bound)
  if (place === 'above') return 'false'
  if (place === 'below') return `${name(column)} IS NOT NULL`
  return `${name(column)} >= ${literal(column, bound)}`
}

function above(column: OrderedColumn, bound: Position): string {
  const place = againstInt8(column, bound)
  if (place === 'above') return 'false'
  if (place === 'below') return `${name(column)} IS NOT NULL`
  return `${name(column)} > ${literal(column, bound)}`
}

function below(column: OrderedColumn, bound: Position): string {
  const place = againstInt8(column, bound)
  if (place === 'above') return `${name(column)} IS NOT NULL`
  if (place === 'below') return 'false'
  return `${name(column)} < ${literal(column, bound)}`
}

/** A bound one above the largest bigint (spec, case PREC-5) has no literal of the column's type. */
function againstInt8(column: OrderedColumn, bound: Position): 'inside' | 'above' | 'below' {
  if (bound.kind !== 'integer' || column.nativeType.startsWith('numeric')) return 'inside'
  return bound.value > INT8_MAX ? 'above' : bound.value < INT8_MIN ? 'below' : 'inside'
}

/** What bounds the order from below where a range does not: rows before our era and -infinity are lanes. */
function floorOfOrder(column: OrderedColumn): string {
  if (isCalendar(column)) return `${name(column)} >= ${firstOfEra(column)}`
  return column.nullable ? `${name(column)} IS NOT NULL` : ''
}

/** What bounds the order from above where a range does not: the lane `future`, and infinity. */
function ceilingOfOrder(column: OrderedColumn): string {
  const future = futureLiteral(column)
  if (future) return `${name(column)} < ${future}`
  return isCalendar(column) ? `${name(column)} < 'infinity'` : ''
}

/** The first position of the lane `future` as a literal; for wall times in the declared zone. */
function futureLiteral(column: OrderedColumn): string | undefined {
  const { order, futureFromUs } = column
  if (futureFromUs === undefined || !isTimeLike(order)) return undefined
  if (order.kind === 'timestamp' || order.kind === 'date') {
    const instant = positionLiteral({ kind: 'timestamptz', value: futureFromUs }, '')
    const wall = `(${instant} AT TIME ZONE ${quoteLiteral(order.zone ?? 'UTC')})`
    return order.kind === 'date' ? `(${wall}::date + 1)` : wall
  }
  return literal(column, usToPosition(order, futureFromUs))
}

function encodingFits(column: OrderedColumn): string {
  const pattern = encodingPattern(column.order)
  return pattern ? `${asText(column)} ~ ${quoteLiteral(pattern)}` : ''
}

function malformedPredicate(column: OrderedColumn): string | undefined {
  const pattern = encodingPattern(column.order)
  return pattern ? `${asText(column)} !~ ${quoteLiteral(pattern)}` : undefined
}

const isCalendar = ({ order }: OrderedColumn): boolean =>
  order.kind === 'timestamptz' || order.kind === 'timestamp' || order.kind === 'date'

const firstOfEra = ({ order }: OrderedColumn): string =>
  order.kind === 'date'
    ? "'0001-01-01'::date"
    : `'0001-01-01 00:00:00${order.kind === 'timestamptz' ? '+00' : ''}'::${order.kind}`

const name = ({ order }: OrderedColumn): string => quoteIdentifier(order.column)
const asText = (column: OrderedColumn): string =>
  column.nativeType === 'uuid' ? `${name(column)}::text` : name(column)
const literal = (column: OrderedColumn, position: Position): string =>
  positionLiteral(position, column.nativeType)
const all = (parts: readonly string[]): string => parts.filter((part) => part !== '').join(' AND ') || 'true'
