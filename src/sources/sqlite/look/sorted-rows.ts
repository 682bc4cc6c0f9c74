import Database from 'better-sqlite3'
import type { LookedRow } from '../../look.ts'

/** Rows in the order of their digests, beside the snapshot: on disk where they are many, gone when closed (spec F29). */
export interface SortedRows {
  add(rows: readonly LookedRow[]): void
  batches(rowCount: number): Generator<readonly LookedRow[]>
  close(): void
}

/** A table that SQLite keeps sorted as rows come, so that no statement has to sort for seconds while the program stands still. */
export function sortRows(): SortedRows {
  const db = new Database('')
  db.defaultSafeIntegers(true)
  db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
    CREATE TABLE looked (d TEXT, k TEXT, n INTEGER, p TEXT, w INTEGER, PRIMARY KEY (d, k, n)) WITHOUT ROWID`)
  const insert = db.prepare('INSERT INTO looked VALUES (?, ?, ?, ?, ?)')
  let count = 0
  return {
    add: db.transaction((rows: readonly LookedRow[]) => {
      for (const { keyDigest, keyText, position, word } of rows) {
        insert.run(keyDigest, keyText, ++count, position, word)
      }
    }),
    *batches(rowCount) {
      const rows = db.prepare('SELECT d, k, p, w FROM looked ORDER BY d, k, n').raw(true).iterate()
      let batch: LookedRow[] = []
      for (const row of rows) {
        const [keyDigest, keyText, position, word] = row as [string, string, string, bigint]
        batch.push({ keyText, keyDigest, position, word })
        if (batch.length < rowCount) continue
        yield batch
        batch = []
      }
      if (batch.length > 0) yield batch
    },
    close: () => void db.close(),
  }
}
