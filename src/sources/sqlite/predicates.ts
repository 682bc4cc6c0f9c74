import { assert } from '../../kernel/assert.ts'
import type { Lane } from '../../kernel/lane.ts'
import { isTimeLike, usToPosition } from '../../kernel/moment.ts'
import type { EpochUnit, PositionOrder } from '../../kernel/order.ts'
import type { Position } from '../../kernel/position.ts'
import { quoteIdentifier, quoteLiteral, quoteTable } from '../../kernel/sql-text.ts'
import type { LogicalType } from '../../kernel/types.ts'
import type { TableRef } from '../source.ts'

/**
 * All SQL that compares positions or keys in SQLite. Every bound is a literal of the column's own class on the bare column, so that
 * an index on it serves (spec E4); every range is half-open (E10). SQLite orders values by class first: NULL, numbers,
 * texts, blobs; `''` and `x''` are the least text and blob.
 */

/** The position column as SQL must know it. */
export interface OrderedColumn {
  readonly order: PositionOrder
  readonly nullable: boolean
  /** Values of another class than the declared one cannot be stored (STRICT, rowid). */
  readonly strict: boolean
  /** Rows at or above this instant are the lane `future`; counters have none. */
  readonly futureFromUs: bigint | undefined
}

export interface KeyColumn {
  readonly name: string
  readonly type: LogicalType
  /** Absent where texts compare as bytes, or where there are none. */
  readonly collation?: string
}

/** Rows with a position in `[lower, upper)` and in no lane (spec E10, E43). An absent bound is the order's own end. */
export function rangePredicate(
  column: OrderedColumn,
  lower: Position | undefined,
  upper: Position | undefined,
): string {
  return all([
    lower ? `${name(column)} >= ${positionLiteral(lower)}` : floorOfOrder(column),
    upper ? `${name(column)} < ${positionLiteral(upper)}` : ceilingOfOrder(column),
    wellFormed(column),
  ])
}

/** Rows strictly above `from` and below `upper` that are in no lane: where the next border is looked for (spec E46). */
export function borderPredicate(column: OrderedColumn, from: Position | undefined, upper: Position): string {
  return all([
    from ? `${name(column)} > ${positionLiteral(from)}` : floorOfOrder(column),
    `${name(column)} < ${positionLiteral(upper)}`,
    wellFormed(column),
  ])
}

/** The rows of each lane that can exist for this column; lanes are disjoint (spec E43). */
export function lanePredicates(column: OrderedColumn): ReadonlyMap<Lane, string> {
  const lanes = new Map<Lane, string>()
  if (column.nullable) lanes.set('null', `${name(column)} IS NULL`)
  const future = futureLiteral(column)
  if (future) {
    lanes.set('future', all([`${name(column)} >= ${future}`, classCeiling(column), wellFormed(column)]))
  }
  if (canBeMalformed(column)) {
    lanes.set('malformed', `${name(column)} IS NOT NULL AND NOT (${all([wellFormed(column), 'true'])})`)
  }
  return lanes
}

/**
 * The lane `malformed` cut into parts that an index finds: values of classes below and above the order's own. Between
 * them stand the values of its own class, which `malformedWithin` looks through.
 */
export function malformedOutside(column: OrderedColumn): readonly string[] {
  const c = name(column)
  if (!canBeMalformed(column)) return []
  return column.order.kind === 'text' ? [`${c} < ''`, `${c} >= x''`] : [`${c} >= ''`]
}

/** Values of the order's class above `after` and up to `upTo` that are outside its encoding. */
export function malformedWithin(
  column: OrderedColumn,
  after: string | undefined,
  upTo: string | undefined,
): string {
  return all([...within(column, after, upTo), `NOT (${wellFormed(column)})`])
}

/** The value `rowCount` rows above `after`, of the order's class, as a literal; NULL when fewer are left. */
export function windowEndQuery(
  table: TableRef,
  column: OrderedColumn,
  after: string | undefined,
  rowCount: number,
): string {
  const c = name(column)
  return `SELECT quote(${c}) FROM ${quoteTable(table)} WHERE ${all(within(column, after, undefined))} ORDER BY ${c} LIMIT 1 OFFSET ${rowCount - 1}`
}

/** Rows after a key in the order of `keyOrder`; texts compare as bytes, whatever the column's collation (spec E45, E55). */
export function afterKeyPredicate(key: readonly KeyColumn[], after: readonly string[]): string {
  assert(key.length === after.length && key.length > 0, 'a key and its values have different lengths')
  return `(${bareKey(key)}) > (${key.map((column, i) => valueLiteral(column.type, after[i]!)).join(', ')})`
}

/**
 * Rows of these keys, by the key's index; a NULL is a value like any other. Lists, for SQLite bounds how deep an expression
 * may be; where the column's own collation calls different texts equal, a second list compares them as bytes.
 */
export function keysPredicate(
  key: readonly KeyColumn[],
  keys: readonly (readonly (string | null)[])[],
): string {
  assert(key.length > 0, 'rows are read by a key')
  const whole = keys.filter((values) => !values.includes(null))
  const terms = keys.filter((values) => values.includes(null)).map((values) => isKey(key, values))
  if (whole.length > 0) terms.push(isOneOf(key, whole))
  return terms.length === 0 ? 'false' : anyOf(terms)
}

function isOneOf(key: readonly KeyColumn[], keys: readonly (readonly (string | null)[])[]): string {
  const rows = keys.map((values) => key.map((column, i) => valueLiteral(column.type, values[i]!)).join(', '))
  const list = key.length === 1 ? rows.join(', ') : `VALUES ${rows.map((row) => `(${row})`).join(', ')}`
  const names = key.map(({ name }) => quoteIdentifier(name)).join(', ')
  const isIn = (columns: string): string =>
    key.length === 1 ? `${columns} IN (${list})` : `(${columns}) IN (${list})`
  return key.every(comparesBytes) ? isIn(names) : `(${isIn(names)} AND ${isIn(bareKey(key))})`
}

function isKey(key: readonly KeyColumn[], values: readonly (string | null)[]): string {
  const terms = key.map((column, i) => {
    const value = values[i] ?? null
    const name = quoteIdentifier(column.name)
    if (value === null) return `${name} IS NULL`
    return `${name}${comparesBytes(column) ? '' : ' COLLATE BINARY'} IS ${valueLiteral(column.type, value)}`
  })
  return `(${terms.join(' AND ')})`
}

function comparesBytes({ type, collation }: KeyColumn): boolean {
  if (collation !== undefined) return collation === 'BINARY'
  return /^(int8|float8|numeric|bool|bytes)$/.test(type.name)
}

/** A balanced tree. */
function anyOf(terms: readonly string[]): string {
  if (terms.length === 1) return terms[0]!
  const middle = terms.length >> 1
  return `(${anyOf(terms.slice(0, middle))} OR ${anyOf(terms.slice(middle))})`
}

export function keyOrder(key: readonly KeyColumn[]): string {
  return bareKey(key)
}

/** The newest distinct values in the order's encoding; looks at a bounded number of rows (spec E5). */
export function newestDistinctQuery(table: TableRef, order: PositionOrder, limit: number): string {
  const column: OrderedColumn = { order, nullable: true, strict: false, futureFromUs: undefined }
  const c = name(column)
  const newest = (condition: string): string =>
    `(SELECT t.${c} AS v FROM ${quoteTable(table)} t WHERE ${all([condition, wellFormed(column, 't.')])} ORDER BY t.${c} DESC LIMIT 1)`
  const below = order.kind === 'text' ? `t.${c} < x''` : `t.${c} < ''`
  return `WITH RECURSIVE hop(v) AS (SELECT * FROM ${newest(below)} UNION ALL SELECT ${newest(`t.${c} < hop.v`)} FROM hop WHERE v IS NOT NULL)
SELECT v FROM hop WHERE v IS NOT NULL LIMIT ${limit}`
}

/** A value of the position column as a position. */
export function positionFromValue(order: PositionOrder, value: string | bigint): Position {
  if (typeof value === 'string') {
    assert(order.kind === 'text', 'a text stands where a number must')
    return { kind: 'text', value }
  }
  assert(order.kind === 'integer', 'a number stands where a text must')
  return { kind: 'integer', value }
}

/** Beyond 64 bits SQLite reads a number as a float and still compares it exactly with integers. */
function positionLiteral(position: Position): string {
  return position.kind === 'text' ? quoteLiteral(position.value) : String(position.value)
}

/** The text of a value as the wire carries it, as a literal of the class it has in SQLite. */
function valueLiteral(type: LogicalType, text: string): string {
  switch (type.name) {
    case 'int8':
      return String(BigInt(text))
    case 'bool':
      return text === 't' ? '1' : '0'
    case 'bytes':
      return `x'${text.slice(2)}'`
    case 'float8':
    case 'numeric':
      return realLiteral(text)
    default:
      return quoteLiteral(text)
  }
}

function realLiteral(text: string): string {
  if (text === 'Infinity') return '9e999'
  if (text === '-Infinity') return '-9e999'
  assert(/^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(text), 'a number cannot be read back')
  return text
}

/** What a range without a lower bound begins with: the least value of the order's class. */
function floorOfOrder(column: OrderedColumn): string {
  if (column.order.kind === 'text') return `${name(column)} >= ''`
  return column.nullable ? `${name(column)} IS NOT NULL` : ''
}

function ceilingOfOrder(column: OrderedColumn): string {
  const future = futureLiteral(column)
  return future ? `${name(column)} < ${future}` : classCeiling(column)
}

/** Below all values of the next class. */
function classCeiling(column: OrderedColumn): string {
  return `${name(column)} < ${column.order.kind === 'text' ? "x''" : "''"}`
}

function within(column: OrderedColumn, after: string | undefined, upTo: string | undefined): string[] {
  const c = name(column)
  const least = column.order.kind === 'text' ? `${c} >= ''` : `${c} IS NOT NULL`
  return [after ? `${c} > ${after}` : least, upTo ? `${c} <= ${upTo}` : classCeiling(column)]
}

/** The least position that is in the future as a whole: the instant, rounded up to the column's step. */
function futureLiteral({ order, futureFromUs }: OrderedColumn): string | undefined {
  if (futureFromUs === undefined || !isTimeLike(order)) return undefined
  const stepUs = order.kind === 'integer' ? US_PER_UNIT[order.unit ?? 's'] : order.tick
  return positionLiteral(usToPosition(order, futureFromUs + stepUs - 1n))
}

const US_PER_UNIT: Readonly<Record<EpochUnit, bigint>> = { s: 1_000_000n, ms: 1_000n, us: 1n, ns: 1n }

function canBeMalformed(column: OrderedColumn): boolean {
  return column.order.kind === 'text' || !column.strict
}

/** True for the values that are in the order's encoding (GLOB stops at a NUL, hence instr). */
function wellFormed(column: OrderedColumn, prefix = ''): string {
  const c = `${prefix}${name(column)}`
  if (column.order.kind !== 'text') return column.strict ? '' : `typeof(${c}) = 'integer'`
  return `typeof(${c}) = 'text' AND ${c} GLOB ${quoteLiteral(globOf(column.order))} AND instr(${c}, char(0)) = 0`
}

function globOf(order: PositionOrder): string {
  const digit = '[0-9]'
  if (order.encoding === 'ulid') return `[0-7]${'[0-9A-HJKMNP-TV-Z]'.repeat(25)}`
  if (order.encoding === 'uuidv7') {
    const hex = (count: number): string => '[0-9a-f]'.repeat(count)
    return `${hex(8)}-${hex(4)}-7${hex(3)}-${hex(4)}-${hex(12)}`
  }
  const [date, clock = ''] = [order.template!.slice(0, 10), order.template!.slice(10)]
  assert(date === 'YYYY-MM-DD', `no template for times: ${order.template}`)
  const time = clock
    .replace('HH', `[0-2]${digit}`)
    .replace('MM', `[0-5]${digit}`)
    .replace(':SS', `:[0-5]${digit}`)
    .replace(/(?<=\.)S+/, (digits) => digit.repeat(digits.length))
  return `${digit.repeat(4)}-[0-1]${digit}-[0-3]${digit}${time}`
}

function bareKey(key: readonly KeyColumn[]): string {
  return key.map((column) => `${quoteIdentifier(column.name)} COLLATE BINARY`).join(', ')
}

const name = ({ order }: OrderedColumn): string => quoteIdentifier(order.column)
const all = (parts: readonly string[]): string => parts.filter((part) => part !== '').join(' AND ') || 'true'
