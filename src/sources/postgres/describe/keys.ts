import type { ColumnShape, KeyFact } from '../../source.ts'
import type { Row } from '../connect/connection.ts'

/**
 * What identifies a row: unique indexes that hold for every row at every moment, without NULLs, primary key first. A
 * table with inheriting children has none, for its index does not look into them.
 */
export function readKeys(
  indexes: readonly Row[],
  names: ReadonlyMap<string, ColumnShape>,
  hasInheritors: boolean,
): KeyFact[] {
  if (hasInheritors) return []
  return indexes
    .filter((index) => index.is_unique === 't' && index.immediate === 't' && isPlain(index))
    .map((index) => ({ index, columns: keyColumns(index, names) }))
    .filter(({ columns }) => columns.length > 0 && columns.every((column) => column && !column.nullable))
    .map(({ index, columns }) => ({
      columns: columns.map((column) => column!.name),
      origin: index.is_primary === 't' ? 'primary_key' : 'unique_index',
    }))
}

/** The columns that a usable btree index begins with. */
export function indexedColumns(
  indexes: readonly Row[],
  names: ReadonlyMap<string, ColumnShape>,
): ReadonlySet<string> {
  const first = indexes
    .filter(
      (index) =>
        index.method === 'btree' &&
        index.valid === 't' &&
        index.is_partial !== 't' &&
        index.same_collation === 't' &&
        index.default_order === 't',
    )
    .map((index) => keyColumns(index, names)[0]?.name)
  return new Set(first.filter((name) => name !== undefined))
}

function isPlain(index: Row): boolean {
  return index.valid === 't' && index.is_partial !== 't' && index.has_expressions !== 't'
}

function keyColumns(index: Row, names: ReadonlyMap<string, ColumnShape>): (ColumnShape | undefined)[] {
  return (index.columns ?? '').split(' ').map((number) => names.get(number))
}
