import { assert } from '../../../kernel/assert.ts'
import type { Position } from '../../../kernel/position.ts'
import type { Range } from '../../../kernel/range.ts'
import { quoteIdentifier, quoteTable } from '../../../kernel/sql-text.ts'
import type { ReaderRequest, ReadScope } from '../../source.ts'
import {
  afterKeyPredicate,
  borderPredicate,
  type KeyColumn,
  keyOrder,
  keysPredicate,
  lanePredicates,
  type OrderedColumn,
  peekPredicate,
  rangePredicate,
} from './predicates.ts'
import { selectList } from './render.ts'

/** The statements a reader sends, as texts. */
export interface Statements {
  range(range: Range): string
  scope(scope: ReadScope): string
  /** The key that the scope delivers last, as texts; one row or none. Undefined where the scope has no order. */
  lastKey(scope: ReadScope): string | undefined
  border(from: Position | undefined, upper: Position, rowCount: number): string
  countLanes(limit: number): string | undefined
  newest(): string
}

export function statementsFor(request: ReaderRequest): Statements {
  const { shape, format, asText } = request
  const column = orderedColumn(request)
  const key = keyColumns(request)
  const table = quoteTable(shape.table)
  const list = selectList(shape.columns, format, asText)
  const c = quoteIdentifier(request.order.column)
  const lanes = lanePredicates(column)

  const lanePage = (scope: Extract<ReadScope, { kind: 'lane' }>, columns: string): string => {
    const lane = lanes.get(scope.lane) ?? 'false'
    if (key.length === 0) return `SELECT ${columns} FROM ${table} WHERE ${lane} LIMIT ${count(scope.limit)}`
    const after = scope.afterKey ? ` AND ${afterKeyPredicate(key, scope.afterKey)}` : ''
    return `SELECT ${columns} FROM ${table} WHERE (${lane})${after} ORDER BY ${keyOrder(key)} LIMIT ${count(scope.limit)}`
  }
  const range = ({ lower, upper }: Range): string =>
    `SELECT ${list} FROM ${table} WHERE ${rangePredicate(column, lower, upper)}`

  return {
    range,
    scope(scope) {
      if (scope.kind === 'range') return range(scope.range)
      if (scope.kind === 'lane') return lanePage(scope, list)
      if (scope.kind === 'keys') return `SELECT ${list} FROM ${table} WHERE ${keysPredicate(key, scope.keys)}`
      return `SELECT ${list} FROM ${table} WHERE ${peekPredicate(column, scope.from)}`
    },
    lastKey(scope) {
      if (scope.kind !== 'lane' || key.length === 0) return undefined
      const names = key.map(({ name }) => quoteIdentifier(name))
      const texts = names.map((name, i) => `${name}::text AS k${i}`)
      return `SELECT ${texts.join(', ')} FROM (${lanePage(scope, names.join(', '))}) page ORDER BY ${keyOrder(key, 'DESC')} LIMIT 1`
    },
    border(from, upper, rowCount) {
      const predicate = borderPredicate(column, from, upper)
      return `SELECT ${c} AS position FROM ${table} WHERE ${predicate} ORDER BY ${c} OFFSET ${count(rowCount) - 1} LIMIT 1`
    },
    countLanes(limit) {
      if (lanes.size === 0) return undefined
      const counts = [...lanes].map(
        ([lane, predicate]) =>
          `(SELECT count(*) FROM (SELECT FROM ${table} WHERE ${predicate} LIMIT ${count(limit) + 1}) l) AS ${quoteIdentifier(lane)}`,
      )
      return `SELECT ${counts.join(', ')}`
    },
    newest: () =>
      `SELECT ${c} AS position FROM ${table} WHERE ${borderPredicate(column, undefined, undefined)} ORDER BY ${c} DESC LIMIT 1`,
  }
}

function orderedColumn({ shape, order, futureFromUs }: ReaderRequest): OrderedColumn {
  const column = shape.columns.find(({ name }) => name === order.column)
  assert(column, `the position column ${order.column} is not in the table`)
  return { order, nativeType: column.nativeType, nullable: column.nullable, futureFromUs }
}

function keyColumns({ shape, key }: ReaderRequest): KeyColumn[] {
  return key.map((name) => {
    const column = shape.columns.find((each) => each.name === name)
    assert(column, `the key column ${name} is not in the table`)
    return column
  })
}

function count(value: number): number {
  assert(Number.isSafeInteger(value) && value > 0, `not a count of rows: ${value}`)
  return value
}
