import { canonicalJson } from '../../kernel/canonical-json.ts'
import type { LedgerEntry } from '../../kernel/ledger.ts'
import { type LedgerRow, ledgerFromRow, ledgerToRow } from '../exchange.ts'
import { atomically, type Db, reading } from './database.ts'

/** Adds a range to the ledger (spec E14). Adding the same entry again changes nothing. */
export function addRange(db: Db, entry: LedgerEntry): void {
  atomically(db, () => insertRange(db, entry))
}

export function insertRange(db: Db, entry: LedgerEntry): void {
  const json = canonicalJson(ledgerToRow(entry))
  const sql = 'INSERT INTO ledger (stream, generation, entry) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
  db.prepare(sql).run(entry.stream, entry.generation, json)
}

/** In the order in which they were added. */
export function listRanges(db: Db, stream: string, generation: number | undefined): readonly LedgerEntry[] {
  const sql = 'SELECT entry FROM ledger WHERE stream = ? AND generation = coalesce(?, generation) ORDER BY id'
  const entries = reading(db, () =>
    db
      .prepare(sql)
      .pluck()
      .all(stream, generation ?? null),
  ) as string[]
  return entries.map((json) => ledgerFromRow(stream, JSON.parse(json) as LedgerRow))
}
