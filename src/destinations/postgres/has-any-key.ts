import { quoteIdentifier, quoteLiteral, quoteTable } from '../../kernel/sql-text.ts'
import type { TargetTable } from '../destination.ts'
import type { Session } from './sessions.ts'

/** Whether at least one key, as a JSON array of texts, is in the target (spec E60). False without the table. */
export async function hasAnyKey(
  session: Session,
  { target, key: columns }: TargetTable,
  keys: readonly string[],
): Promise<boolean> {
  const { rows: found } = await session.query('SELECT to_regclass($1) IS NOT NULL AS there', [
    quoteTable(target),
  ])
  if (!found[0].there) return false
  if (keys.length === 0 || columns.length === 0) return true
  const conditions = keys.map((json) => {
    const values: (string | null)[] = JSON.parse(json)
    return `(${columns.map((name, i) => isValue(quoteIdentifier(name), values[i] ?? null)).join(' AND ')})`
  })
  const { rows } = await session.query(
    `SELECT EXISTS (SELECT FROM ${quoteTable(target)} WHERE ${conditions.join(' OR ')}) AS found`,
  )
  return rows[0].found
}

/** The literal takes the column's own type. */
function isValue(column: string, value: string | null): string {
  return value === null ? `${column} IS NULL` : `${column} = ${quoteLiteral(value)}`
}
