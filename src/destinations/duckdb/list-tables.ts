import type { TableRef } from '../../sources/source.ts'
import type { Session } from './session.ts'

/** Every table and view of the file (assurance A49). */
export async function listTables(session: Session): Promise<readonly TableRef[]> {
  const rows = await session.rows(
    `SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = current_database() AND NOT temporary
     UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = current_database() AND NOT internal AND NOT temporary
     ORDER BY 1, 2`,
  )
  return rows.map((row) => ({ schema: String(row[0]), name: String(row[1]) }))
}
