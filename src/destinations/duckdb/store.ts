import { watermarkTableSql } from '../watermark-row.ts'
import type { Session } from './session.ts'

/** In `main`, beside whatever schemas the data is in (spec E61). */
export const CLAIM_TABLE = 'main.plimsoll_claim'
export const WATERMARK_TABLE = 'main.plimsoll_watermarks'
const STORE_TABLE = 'main.plimsoll_store'

/** Makes the tables of our own, and the store's identity, once. */
export async function ensureStore(session: Session): Promise<void> {
  await session.transaction(async () => {
    await session.run(`CREATE TABLE IF NOT EXISTS ${CLAIM_TABLE} (
      stream VARCHAR PRIMARY KEY, generation BIGINT NOT NULL, watermark_kind VARCHAR, watermark VARCHAR,
      proof VARCHAR NOT NULL, epoch BIGINT NOT NULL, read_seq BIGINT NOT NULL, batch VARCHAR, tail_keys VARCHAR NOT NULL,
      facts VARCHAR NOT NULL, gap_seq BIGINT NOT NULL, receipt VARCHAR, updated TIMESTAMP WITH TIME ZONE NOT NULL)`)
    await session.run(`CREATE TABLE IF NOT EXISTS ${STORE_TABLE} (id UUID NOT NULL)`)
    await session.run(watermarkTableSql(WATERMARK_TABLE))
    await session.run(`INSERT INTO ${STORE_TABLE} SELECT uuid() WHERE NOT EXISTS (FROM ${STORE_TABLE})`)
  })
}

/** Of the file, not of the process: a swapped or restored file is noticed by it or by its claims (spec E60). */
export async function readIdentity(
  session: Session,
): Promise<{ id: string; engine: string; version: string }> {
  const [id, version] = await session.row(`SELECT id::VARCHAR, version() FROM ${STORE_TABLE}`)
  return { id: String(id), engine: 'duckdb', version: String(version) }
}

export async function hasStore(session: Session, table = 'plimsoll_claim'): Promise<boolean> {
  const [count] = await session.row(
    `SELECT count(*) FROM duckdb_tables() WHERE database_name = current_database() AND schema_name = 'main'
       AND table_name = $1`,
    [table],
  )
  return count === 1n
}
