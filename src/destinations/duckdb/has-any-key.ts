import { quoteLiteral } from '../../kernel/sql-text.ts'
import type { TargetTable } from '../destination.ts'
import type { Session } from './session.ts'
import { targetColumns, targetName } from './target-columns.ts'

/** Whether at least one key, as a JSON array of texts, is in the target (spec E60). False without the table. */
export async function hasAnyKey(
  session: Session,
  catalog: string,
  table: TargetTable,
  keys: readonly string[],
): Promise<boolean> {
  const { schema, name } = table.target
  const [present] = await session.rows(
    `SELECT 1 FROM duckdb_tables() WHERE database_name = current_database() AND schema_name = $1 AND table_name = $2`,
    [schema, name],
  )
  if (!present) return false
  if (keys.length === 0 || table.key.length === 0) return true
  const columns = targetColumns(table)
  const conditions = keys.map((json) => {
    const values: (string | null)[] = JSON.parse(json)
    const terms = table.key.map((column, i) => {
      const { sql, sqlType } = columns.find(({ name }) => name === column)!
      const value = values[i] ?? null
      return value === null ? `${sql} IS NULL` : `${sql} = CAST(${quoteLiteral(value)} AS ${sqlType})`
    })
    return `(${terms.join(' AND ')})`
  })
  const found = await session.rows(
    `SELECT 1 FROM ${targetName(catalog, table.target)} WHERE ${conditions.join(' OR ')} LIMIT 1`,
  )
  return found.length > 0
}
