import { quoteIdentifier, quoteTable } from '../../kernel/sql-text.ts'
import type { LogicalType } from '../../kernel/types.ts'
import type { TableRef } from '../../sources/source.ts'
import type { TargetTable } from '../destination.ts'
import { needsPrintedComparison, sqlTypeOf } from './column-type.ts'
import { type WireColumn, wireColumnOf } from './wire-value.ts'

export const SEQ_COLUMN = '_plimsoll_seq'
export const SEQ = quoteIdentifier(SEQ_COLUMN)
/** When a row was found gone at the source (spec A27). Added by the first mark, empty in rows that are there. */
export const DELETED_COLUMN = '_plimsoll_deleted_at'
export const DELETED = quoteIdentifier(DELETED_COLUMN)

const TEXT: LogicalType = { name: 'text' }

/** One column of a target: its quoted name, and how its values come and compare. */
export interface TargetColumn {
  readonly name: string
  readonly sql: string
  readonly sqlType: string
  readonly type: LogicalType
  readonly isKey: boolean
  readonly wire: WireColumn
}

/** The target's columns in wire order; `asText` columns are text. */
export function targetColumns({ columns, asText, key }: TargetTable): readonly TargetColumn[] {
  return columns.map(({ name, type: sourceType }) => {
    const type = asText.includes(name) ? TEXT : sourceType
    return {
      name,
      sql: quoteIdentifier(name),
      sqlType: sqlTypeOf(type),
      type,
      isKey: key.includes(name),
      wire: wireColumnOf(type),
    }
  })
}

/** A three-part name: a schema may be called like the database file. */
export function targetName(catalog: string, target: TableRef): string {
  return `${catalog}.${quoteTable(target)}`
}

export const columnList = (columns: readonly TargetColumn[], alias?: string): string =>
  columns.map(({ sql }) => (alias ? `${alias}.${sql}` : sql)).join(', ')

/** What must be equal for two values to be the same: the value, or how it prints. */
export function comparable({ sql, type }: TargetColumn, alias: string): string {
  return needsPrintedComparison(type) ? `${alias}.${sql}::VARCHAR` : `${alias}.${sql}`
}

/** True when a row of `a` and one of `b` differ in a column. */
export function differs(columns: readonly TargetColumn[], a: string, b: string): string {
  const compared = columns.filter(({ isKey }) => !isKey)
  if (compared.length === 0) return 'false'
  const terms = compared.map((column) => `${comparable(column, a)} IS DISTINCT FROM ${comparable(column, b)}`)
  return `(${terms.join(' OR ')})`
}

/** True when two rows have one key (spec E55): DuckDB compares text as bytes. */
export function sameKey(
  { nullKeys }: TargetTable,
  columns: readonly TargetColumn[],
  a: string,
  b: string,
): string {
  const operator = nullKeys === 'match' ? 'IS NOT DISTINCT FROM' : '='
  const keys = columns.filter(({ isKey }) => isKey)
  return keys.map(({ sql }) => `${a}.${sql} ${operator} ${b}.${sql}`).join(' AND ')
}

/** A row's key as a list of texts, in the order of the table's key. */
export function keyTexts({ key }: TargetTable, alias: string): string {
  if (key.length === 0) return '[]::VARCHAR[]'
  return `[${key.map((name) => `${alias}.${quoteIdentifier(name)}::VARCHAR`).join(', ')}]`
}
