import type { TableRef } from '../../sources/source.ts'
import type { Session } from './sessions.ts'

/** Every table and view of the database that is not the server's own (assurance A49). */
export async function listTables(session: Session): Promise<readonly TableRef[]> {
  const { rows } = await session.query(
    `SELECT n.nspname AS schema, c.relname AS name FROM pg_catalog.pg_class c
     JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
     ORDER BY 1, 2`,
  )
  return rows.map(({ schema, name }) => ({ schema, name }))
}
