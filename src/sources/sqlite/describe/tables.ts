import { quoteIdentifier } from '../../../kernel/sql-text.ts'
import type { TableSummary } from '../../source.ts'
import type { Db } from '../connection.ts'

const COUNTED_ROWS = 200_000

/** The tables and views of the file, without SQLite's own and those that hold a virtual table's data. */
export function listTables(db: Db): readonly TableSummary[] {
  const sql = `SELECT name, type FROM pragma_table_list
    WHERE schema = 'main' AND type <> 'shadow' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`
  const rows = db.prepare(sql).all() as { name: string; type: string }[]
  return rows.map(({ name, type }) => ({
    table: { schema: 'main', name },
    kind: type === 'view' ? 'view' : 'table',
    rowCountEstimate: type === 'table' ? estimateRows(db, name) : undefined,
    byteSize: undefined,
  }))
}

/** Exact for small tables; else what ANALYZE found, or the largest rowid. */
export function estimateRows(db: Db, table: string): number | undefined {
  const name = quoteIdentifier(table)
  const count = db.prepare(`SELECT count(*) FROM (SELECT 1 FROM main.${name} LIMIT ${COUNTED_ROWS})`)
  const counted = Number(count.pluck().get())
  if (counted < COUNTED_ROWS) return counted
  return analysedRows(db, table) ?? largestRowid(db, name)
}

function analysedRows(db: Db, table: string): number | undefined {
  const known = db.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_stat1'").pluck().get()
  if (known === 0n) return undefined
  const sql = 'SELECT stat FROM sqlite_stat1 WHERE lower(tbl) = lower(?) AND stat IS NOT NULL LIMIT 1'
  const stat = db.prepare(sql).pluck().get(table) as string | undefined
  const rows = Number(stat?.split(' ')[0])
  return Number.isSafeInteger(rows) ? rows : undefined
}

function largestRowid(db: Db, name: string): number | undefined {
  try {
    const rowid = db.prepare(`SELECT max(rowid) FROM main.${name}`).pluck().get()
    return typeof rowid === 'bigint' ? Number(rowid) : undefined
  } catch {
    return undefined // A table WITHOUT ROWID.
  }
}
