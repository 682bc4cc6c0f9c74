import { postgresExpressions } from '../../../kernel/fingerprint/sql/postgres.ts'
import { quoteIdentifier, quoteTable } from '../../../kernel/sql-text.ts'
import { checkRemoval } from '../../claim-checks.ts'
import type { Removal } from '../../destination.ts'
import { confirmClaim, lockClaim } from '../claim-rows.ts'
import { DELETED, SEQ } from '../landing-plan.ts'
import { DELETED_COLUMN } from '../names.ts'
import type { Session } from '../sessions.ts'
import { readTableFacts } from '../table-facts.ts'
import { newestVersions } from './relation.ts'

/**
 * Takes rows away, or marks them, in the transaction the caller opened, with the claim (spec A27). In history mode a mark
 * is a version of its own, and a removal takes all versions. Returns how many rows were there.
 */
export async function removeRows(session: Session, versionNumber: number, removal: Removal): Promise<number> {
  const { table, plan, mode, claimAfter, keyTexts } = removal
  checkRemoval(await lockClaim(session, table.stream), removal)
  const { rows } = await session.query(`SELECT current_setting('server_encoding') = 'UTF8' AS is_utf8`)
  const isUtf8 = rows[0].is_utf8 === true || rows[0].is_utf8 === 't'
  const dialect = { digest: plan.digest, isUtf8, versionNumber, nativeTypes: new Map() }
  const target = quoteTable(table.target)
  const isGone = `${postgresExpressions(plan, dialect, 't').keyText} = ANY($1::text[])`
  const sql =
    mode === 'remove'
      ? `DELETE FROM ${target} t WHERE ${isGone}`
      : await markSql(session, target, isGone, removal)
  const { rowCount } = await session.query(sql, [[...keyTexts]])
  await confirmClaim(session, claimAfter)
  return rowCount ?? 0
}

async function markSql(
  session: Session,
  target: string,
  isGone: string,
  { table, readSeq }: Removal,
): Promise<string> {
  // Not IF NOT EXISTS, which waits for everybody who reads the table, for nothing.
  const facts = await readTableFacts(session, table.target)
  if (!facts?.columns.has(DELETED_COLUMN))
    await session.query(`ALTER TABLE ${target} ADD COLUMN ${DELETED} timestamptz`)
  if (table.mode === 'upsert') {
    return `UPDATE ${target} t SET ${DELETED} = now(), ${SEQ} = ${readSeq} WHERE ${isGone} AND ${DELETED} IS NULL`
  }
  const columns = table.columns.map(({ name }) => quoteIdentifier(name)).join(', ')
  return `INSERT INTO ${target} (${columns}, ${SEQ}, ${DELETED})
    SELECT ${columns}, ${readSeq}, now() FROM (${newestVersions(table, target, isGone)}) v WHERE ${DELETED} IS NULL`
}
