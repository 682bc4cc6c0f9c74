import { duckdbExpressions } from '../../../kernel/fingerprint/sql/duckdb.ts'
import { checkRemoval } from '../../claim-checks.ts'
import type { Removal } from '../../destination.ts'
import { confirmClaim, lockClaim } from '../claim-rows.ts'
import type { Session } from '../session.ts'
import { columnList, DELETED, SEQ, targetColumns, targetName } from '../target-columns.ts'
import { fillKeys } from './key-table.ts'
import { keyList } from './relation.ts'

const GONE = 'plimsoll_gone'

/**
 * Takes rows away, or marks them, in the transaction the caller opened, with the claim (spec A27). In history mode a mark
 * is a version of its own, and a removal takes all versions. Returns how many rows were there.
 */
export async function removeRows(session: Session, catalog: string, removal: Removal): Promise<number> {
  const { table, plan, mode, claimAfter } = removal
  checkRemoval(await lockClaim(session, table.stream), removal)
  await fillKeys(session, GONE, removal.keyTexts)
  const target = targetName(catalog, table.target)
  const isGone = `${duckdbExpressions(plan, 't').keyText} IN (SELECT k FROM ${GONE})`
  const count =
    mode === 'remove'
      ? await session.run(`DELETE FROM ${target} t WHERE ${isGone}`)
      : await mark(session, target, isGone, removal)
  await session.run(`DROP TABLE ${GONE}`)
  await confirmClaim(session, claimAfter)
  return count
}

async function mark(
  session: Session,
  target: string,
  isGone: string,
  { table, readSeq }: Removal,
): Promise<number> {
  await session.run(`ALTER TABLE ${target} ADD COLUMN IF NOT EXISTS ${DELETED} TIMESTAMP WITH TIME ZONE`)
  if (table.mode === 'upsert') {
    return session.run(
      `UPDATE ${target} t SET ${DELETED} = now(), ${SEQ} = ${readSeq} WHERE ${isGone} AND ${DELETED} IS NULL`,
    )
  }
  const columns = columnList(targetColumns(table))
  const newest = `SELECT * FROM ${target} t WHERE ${isGone} QUALIFY row_number() OVER (PARTITION BY ${keyList(table)} ORDER BY ${SEQ} DESC) = 1`
  return session.run(
    `INSERT INTO ${target} (${columns}, ${SEQ}, ${DELETED})
     SELECT ${columns}, ${readSeq}, now() FROM (${newest}) WHERE ${DELETED} IS NULL`,
  )
}
