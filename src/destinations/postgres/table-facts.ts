import { quoteTable } from '../../kernel/sql-text.ts'
import type { TableRef } from '../../sources/source.ts'
import type { Session } from './sessions.ts'

export interface ColumnFacts {
  readonly name: string
  /** As `format_type` prints it. */
  readonly type: string
  readonly notNull: boolean
  /** Computed by the server: nobody may write it. */
  readonly generated: boolean
  readonly defaultSql: string | null
  /** False where the collation calls different texts equal. */
  readonly deterministic: boolean
}

export interface TableFacts {
  readonly oid: string
  /** `r` table, `p` partitioned, else not ours to write. */
  readonly kind: string
  readonly columns: ReadonlyMap<string, ColumnFacts>
}

/** What stands under a name at the destination, or undefined. */
export async function readTableFacts(session: Session, table: TableRef): Promise<TableFacts | undefined> {
  const { rows } = await session.query(
    `SELECT c.oid::text AS oid, c.relkind::text AS kind,
       (SELECT json_agg(json_build_object(
          'name', a.attname,
          'type', format_type(a.atttypid, a.atttypmod),
          'notNull', a.attnotnull,
          'generated', a.attgenerated <> '' OR a.attidentity = 'a',
          'defaultSql', CASE WHEN a.attgenerated = '' THEN pg_get_expr(d.adbin, d.adrelid) END,
          'deterministic', coalesce(l.collisdeterministic, true)) ORDER BY a.attnum)
        FROM pg_attribute a
        LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        LEFT JOIN pg_collation l ON l.oid = a.attcollation
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns
     FROM pg_class c WHERE c.oid = to_regclass($1)`,
    [quoteTable(table)],
  )
  if (!rows[0]) return undefined
  const columns: ColumnFacts[] = rows[0].columns ?? []
  return {
    oid: rows[0].oid,
    kind: rows[0].kind,
    columns: new Map(columns.map((column) => [column.name, column])),
  }
}

export async function hasRows(session: Session, table: TableRef): Promise<boolean> {
  const { rows } = await session.query(`SELECT EXISTS (SELECT FROM ${quoteTable(table)}) AS found`)
  return rows[0].found
}
