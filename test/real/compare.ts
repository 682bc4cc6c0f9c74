import type pg from 'pg'
import { useDatabase } from '../../src/destinations/duckdb/database.ts'
import { tell } from '../types/read-duckdb.ts'

/** Rows of a table as texts, sorted: what source and destination must agree on, cell by cell. */
export type Rows = readonly string[]

interface Column {
  readonly name: string
  readonly type: string
}

export async function columnsOf(client: pg.Client, table: string): Promise<Column[]> {
  const { rows } = await client.query(
    `SELECT attname AS name, format_type(coalesce(nullif(t.typbasetype, 0), t.oid), NULL) AS type
     FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [table],
  )
  return rows
}

/** Every cell in the words of `tell`, so that PostgreSQL and DuckDB say the same of equal values. */
export async function postgresRows(
  client: pg.Client,
  table: string,
  columns: readonly Column[],
): Promise<Rows> {
  const cells = columns.map(({ name, type }) => inWords(name, type))
  const { rows } = await client.query({ text: `SELECT ${cells.join(', ')} FROM ${table}`, rowMode: 'array' })
  return rows.map((row: (string | null)[]) => JSON.stringify(row)).sort()
}

function inWords(name: string, type: string): string {
  if (type.startsWith('timestamp')) return `(extract(epoch FROM ${name}) * 1000000)::bigint::text`
  if (type === 'date') return `(${name} - date '1970-01-01')::text`
  if (type.endsWith('[]')) return `'[' || array_to_string(${name}, ', ', 'null') || ']'`
  // A cast to text drops the blanks of char(n).
  return `CASE WHEN ${name} IS NOT NULL THEN concat(${name}) END`
}

export async function duckdbRows(file: string, table: string, columns: readonly Column[]): Promise<Rows> {
  const database = await useDatabase(file, 64 * 1024 * 1024)
  try {
    const names = columns.map(({ name }) => name).join(', ')
    const rows = await database.reader.rows(`SELECT ${names} FROM ${table}`)
    return rows.map((row) => JSON.stringify(row.map((value) => (value === null ? null : tell(value))))).sort()
  } finally {
    await database.release()
  }
}

/** What one side has and the other lacks, a few of each, and how many rows there are. */
export function difference(there: Rows, here: Rows) {
  const [left, right] = [new Set(there), new Set(here)]
  return {
    rowCount: there.length,
    missing: here.filter((row) => !left.has(row)).slice(0, 3),
    unexpected: there.filter((row) => !right.has(row)).slice(0, 3),
  }
}
