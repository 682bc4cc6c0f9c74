import type { Session } from '../session.ts'

const CHUNK = 50_000

/** Fills a temporary table `k` with these key texts, replacing what was in it. Joined, never written into a query. */
export async function fillKeys(session: Session, table: string, keyTexts: readonly string[]): Promise<void> {
  await session.run(`CREATE OR REPLACE TEMP TABLE ${table} (k VARCHAR)`)
  for (let from = 0; from < keyTexts.length; from += CHUNK) {
    const chunk = JSON.stringify(keyTexts.slice(from, from + CHUNK))
    await session.run(`INSERT INTO ${table} SELECT unnest($1::JSON::VARCHAR[])`, [chunk])
  }
}
