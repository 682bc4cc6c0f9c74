import { quoteLiteral } from '../../../kernel/sql-text.ts'
import type { KeyFact } from '../../source.ts'
import type { Db } from '../connection.ts'
import type { TableFacts } from './columns.ts'

interface IndexRow {
  readonly name: string
  readonly unique: bigint
  readonly origin: string
  readonly partial: bigint
}

interface IndexColumn {
  readonly cid: bigint
  readonly name: string | null
  readonly coll: string
  readonly key: bigint
}

export interface TableIndex {
  readonly unique: boolean
  readonly origin: string
  /** Undefined where an expression or the rowid stands. */
  readonly columns: readonly (string | undefined)[]
  readonly collations: readonly string[]
}

/** The indexes that hold every row. */
export function readIndexes(db: Db, table: string): readonly TableIndex[] {
  const rows = db.prepare(`PRAGMA main.index_list(${quoteLiteral(table)})`).all() as IndexRow[]
  return rows
    .filter((row) => row.partial === 0n)
    .map((row) => {
      const columns = db.prepare(`PRAGMA main.index_xinfo(${quoteLiteral(row.name)})`).all() as IndexColumn[]
      const keyed = columns.filter((column) => column.key === 1n)
      return {
        unique: row.unique === 1n,
        origin: row.origin,
        columns: keyed.map((column) => column.name ?? undefined),
        collations: keyed.map((column) => column.coll),
      }
    })
}

/**
 * Usable keys, primary key first. A primary key of an ordinary table may hold NULLs unless it says NOT NULL: then it is
 * none.
 */
export function readKeys(table: TableFacts, indexes: readonly TableIndex[]): readonly KeyFact[] {
  const nullable = new Map(table.columns.map(({ shape }) => [shape.name, shape.nullable]))
  const usable = (columns: readonly (string | undefined)[]): columns is readonly string[] =>
    columns.length > 0 && columns.every((column) => column !== undefined && nullable.get(column) === false)
  const primary = table.columns
    .filter((column) => column.keyPlace > 0)
    .sort((a, b) => a.keyPlace - b.keyPlace)
    .map((column) => column.shape.name)
  const keys: KeyFact[] = usable(primary) ? [{ columns: primary, origin: 'primary_key' }] : []
  for (const index of indexes) {
    if (index.unique && index.origin !== 'pk' && usable(index.columns)) {
      keys.push({ columns: index.columns, origin: 'unique_index' })
    }
  }
  return keys
}

/** Whether comparisons on the column, which are bytewise for text, can use an index or the table's own order. */
export function isIndexed(table: TableFacts, indexes: readonly TableIndex[], column: string): boolean {
  const own = table.columns.find(({ shape }) => shape.name === column)
  if (own?.isRowid || (table.withoutRowid && own?.keyPlace === 1)) return true
  const text = own?.shape.type.name === 'text'
  return indexes.some((index) => index.columns[0] === column && (!text || index.collations[0] === 'BINARY'))
}
