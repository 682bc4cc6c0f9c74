import { createHash } from 'node:crypto'
import { quoteIdentifier, quoteLiteral, quoteTable } from '../../../kernel/sql-text.ts'
import type { ColumnShape, TableRef } from '../../source.ts'
import type { Db } from '../connection.ts'
import { type ClockEvidence, readClock } from './clock-text.ts'
import { columnCollation } from './collation.ts'
import { promisedType, typeOfClass } from './logical-type.ts'

/** A column as `PRAGMA table_xinfo` shows it, with what SQLite keeps of it elsewhere. */
export interface ColumnFacts {
  readonly shape: ColumnShape
  readonly defaultText: string | undefined
  /** Place in the primary key, from 1; 0 for none. */
  readonly keyPlace: number
  /** An `INTEGER PRIMARY KEY`: the rowid under another name, always an integer. */
  readonly isRowid: boolean
  /** Values of other classes than the type's cannot be stored. */
  readonly strict: boolean
}

export interface TableFacts {
  readonly table: TableRef
  readonly kind: 'table' | 'view'
  readonly sql: string
  readonly strict: boolean
  readonly withoutRowid: boolean
  readonly columns: readonly ColumnFacts[]
  readonly schemaHash: string
}

interface ListRow {
  readonly name: string
  readonly type: string
  readonly wr: bigint
  readonly strict: bigint
}

interface ColumnRow {
  readonly name: string
  readonly type: string
  readonly notnull: bigint
  readonly dflt_value: string | null
  readonly pk: bigint
  readonly hidden: bigint
}

const ROWS_LOOKED_AT = 100_000
const HIDDEN_OF_VIRTUAL_TABLE = 1n

/** Everything SQLite's schema says of a table or view, or undefined when there is none of that name. */
export function readTableFacts(db: Db, table: TableRef): TableFacts | undefined {
  if (table.schema !== 'main') return undefined
  const found = findTable(db, table.name)
  if (!found) return undefined
  const name = found.name
  const sql = db
    .prepare("SELECT sql FROM sqlite_schema WHERE name = ? AND type IN ('table', 'view')")
    .pluck()
    .get(name) as string | null
  const rows = db.prepare(`PRAGMA main.table_xinfo(${quoteLiteral(name)})`).all() as ColumnRow[]
  const visible = rows.filter((row) => row.hidden !== HIDDEN_OF_VIRTUAL_TABLE)
  const context: TableContext = {
    db,
    table: { schema: 'main', name },
    strict: found.strict === 1n,
    withoutRowid: found.wr === 1n,
    rowidColumn: rowidColumn(db, name, rows, found.wr === 1n),
  }
  const columns = visible.map((row) => columnFacts(context, row))
  return {
    table: context.table,
    kind: found.type === 'view' ? 'view' : 'table',
    sql: sql ?? '',
    strict: context.strict,
    withoutRowid: context.withoutRowid,
    columns,
    schemaHash: hashSchema(columns),
  }
}

/** Names of tables are compared as SQLite does, without regard to the case of ASCII letters. */
function findTable(db: Db, name: string): ListRow | undefined {
  const sql =
    'SELECT name, type, wr, strict FROM pragma_table_list WHERE schema = ? AND lower(name) = lower(?)'
  const row = db.prepare(sql).get('main', name) as ListRow | undefined
  return row && row.type !== 'shadow' && !row.name.startsWith('sqlite_') ? row : undefined
}

interface TableContext {
  readonly db: Db
  readonly table: TableRef
  readonly strict: boolean
  readonly withoutRowid: boolean
  readonly rowidColumn: string | undefined
}

function columnFacts(context: TableContext, row: ColumnRow): ColumnFacts {
  const isRowid = row.name === context.rowidColumn
  const nullable = row.notnull === 0n && !isRowid && !(context.withoutRowid && row.pk > 0n)
  const promised = isRowid ? ({ name: 'int8' } as const) : promisedType(row.type)
  const collation = columnCollation(context.db, context.table, row.name)
  const type = promised ?? typeOfClass(storedClass(context, row))
  return {
    shape: {
      name: row.name,
      nativeType: row.type,
      builtin: true,
      type,
      nullable,
      ...(promised === undefined || promised.name === 'text' ? { collation } : {}),
    },
    defaultText: row.dflt_value ?? undefined,
    keyPlace: Number(row.pk),
    isRowid,
    strict: isRowid || (context.strict && row.type.toUpperCase() !== 'ANY'),
  }
}

/** The class of a column whose type promises none: what its default makes, else what its first value is. */
function storedClass({ db, table }: TableContext, row: ColumnRow): string | undefined {
  const clock: ClockEvidence | undefined = readClock(row.dflt_value ?? '')
  if (clock) return clock.kind === 'text' ? 'text' : 'integer'
  const column = quoteIdentifier(row.name)
  const rows = `SELECT ${column} FROM ${quoteTable(table)} LIMIT ${ROWS_LOOKED_AT}`
  const sql = `SELECT typeof(${column}) FROM (${rows}) WHERE ${column} IS NOT NULL LIMIT 1`
  return db.prepare(sql).pluck().get() as string | undefined
}

/** The column that is the rowid: a single INTEGER key column for which SQLite made no index. */
function rowidColumn(
  db: Db,
  table: string,
  rows: readonly ColumnRow[],
  withoutRowid: boolean,
): string | undefined {
  const key = rows.filter((row) => row.pk > 0n)
  if (withoutRowid || key.length !== 1 || key[0]!.type.toUpperCase() !== 'INTEGER') return undefined
  const sql = "SELECT count(*) FROM pragma_index_list(?) WHERE origin = 'pk'"
  return db.prepare(sql).pluck().get(table) === 0n ? key[0]!.name : undefined
}

/** SHA-256 over ordered names, exact types, collations and nullability (spec E67). */
function hashSchema(columns: readonly ColumnFacts[]): string {
  const facts = columns.map(({ shape, strict }) => [
    shape.name,
    shape.nativeType,
    shape.collation ?? '',
    shape.nullable,
    strict,
  ])
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex')
}
