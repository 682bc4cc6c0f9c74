import type { TableRef } from '../../sources/source.ts'
import type { Session } from './session.ts'
import { DELETED_COLUMN } from './target-columns.ts'

/** Whether rows of a table may be marked as gone at the source (spec A27); undefined when there is no such table. */
export async function hasMarks(session: Session, { schema, name }: TableRef): Promise<boolean | undefined> {
  const columns = await session.rows(
    `SELECT column_name FROM duckdb_columns()
     WHERE database_name = current_database() AND schema_name = $1 AND table_name = $2`,
    [schema, name],
  )
  return columns.length === 0 ? undefined : columns.some(([column]) => column === DELETED_COLUMN)
}
