import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll } from 'vitest'

const folders: string[] = []

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A path for a SQLite file in a folder of its own, which is removed after the test file. */
export function freshSqlitePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-sqlite-'))
  folders.push(folder)
  return join(folder, 'source.db')
}

/** A new SQLite file with the given schema, and a connection to it. */
export function freshSqliteFile(
  schema: string,
  journal: 'wal' | 'delete' = 'wal',
): { path: string; url: string; db: Database.Database } {
  const path = freshSqlitePath()
  const db = new Database(path)
  db.pragma(`journal_mode = ${journal}`)
  db.pragma('synchronous = OFF')
  db.exec(schema)
  return { path, url: `sqlite://${path}`, db }
}
