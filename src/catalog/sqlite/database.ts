import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { PlimsollError } from '../../kernel/errors.ts'
import { MIGRATIONS } from './schema.ts'

/** Longest wait for another process that writes the catalog; its transactions take milliseconds. */
const BUSY_TIMEOUT_MS = 10_000
const BUSY_STEP_MS = 5
const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = 0o700

export type Db = Database.Database

/**
 * Opens the catalog's file, creates it when absent and brings its schema up to date: write-ahead log, flushed at every
 * commit, readable by its owner alone. Throws CATALOG_UNAVAILABLE when it is unreadable, damaged or newer than this.
 */
export function openDatabase(file: string): Db {
  return unavailableOnFailure(file, () => {
    mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER })
    createPrivately(file)
    const db = new Database(file, { timeout: BUSY_TIMEOUT_MS })
    try {
      db.defaultSafeIntegers(true)
      useWriteAheadLog(db)
      db.pragma('synchronous = FULL')
      migrate(db, file)
      return db
    } catch (error) {
      db.close()
      throw error
    }
  })
}

/** One transaction that holds the write lock from its start: of many processes one is inside. Failures are named. */
export function atomically<T>(db: Db, body: () => T): T {
  return unavailableOnFailure(db.name, () => db.transaction(body).immediate())
}

/** Runs a read; a damaged or vanished file is named as such. */
export function reading<T>(db: Db, body: () => T): T {
  return unavailableOnFailure(db.name, body)
}

/** µs since 1970 by SQLite's clock, which counts milliseconds: the catalog's only clock (spec E63). */
export function catalogNowUs(db: Db): bigint {
  const sql = "SELECT unixepoch('now') * 1000000 + CAST(substr(strftime('%f', 'now'), 4) AS INTEGER) * 1000"
  return db.prepare(sql).pluck().get() as bigint
}

/** SQLite does not wait for locks while it changes the journal mode: processes that open a new catalog together must. */
function useWriteAheadLog(db: Db): void {
  for (let waitedMs = 0; ; waitedMs += BUSY_STEP_MS) {
    try {
      db.pragma('journal_mode = WAL')
      return
    } catch (error) {
      const busy = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')
      if (!busy || waitedMs >= BUSY_TIMEOUT_MS) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_STEP_MS)
    }
  }
}

/** SQLite would create the file readable by everyone; its log files take over the mode. */
function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', PRIVATE_FILE))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function migrate(db: Db, file: string): void {
  const run = db.transaction(() => {
    db.exec(
      'CREATE TABLE IF NOT EXISTS migration (version INTEGER PRIMARY KEY, applied_us INTEGER NOT NULL) STRICT',
    )
    const found = Number(db.prepare('SELECT coalesce(max(version), 0) FROM migration').pluck().get())
    if (found > MIGRATIONS.length) throw newerVersion(file, found)
    for (let version = found + 1; version <= MIGRATIONS.length; version++) {
      db.exec(MIGRATIONS[version - 1]!)
      db.prepare('INSERT INTO migration VALUES (?, ?)').run(version, catalogNowUs(db))
    }
  })
  run.immediate()
}

function newerVersion(file: string, found: number): PlimsollError {
  return new PlimsollError('CATALOG_UNAVAILABLE', `the catalog ${file} was written by a newer plimsoll`, {
    hint: `Its schema is version ${found}, this program knows up to ${MIGRATIONS.length}. Use the newer program, or another catalog folder.`,
    context: { file, found, known: MIGRATIONS.length },
  })
}

function unavailableOnFailure<T>(file: string, body: () => T): T {
  try {
    return body()
  } catch (error) {
    if (!isSystemFailure(error)) throw error
    throw new PlimsollError('CATALOG_UNAVAILABLE', `the catalog ${file} cannot be used: ${error.message}`, {
      hint: hintFor(error.code),
      context: { file, code: error.code },
      cause: error,
    })
  }
}

/** A failure of file or lock; a broken constraint is a defect of ours and stays what it is. */
function isSystemFailure(error: unknown): error is Error & { code: string } {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false
  if (!(error instanceof Database.SqliteError)) return 'syscall' in error
  return !/^SQLITE_(CONSTRAINT|ERROR|MISUSE)/.test(error.code)
}

function hintFor(code: string): string {
  if (code.startsWith('SQLITE_BUSY'))
    return 'Another process has held the catalog for a long time. Try again, or find it with fuser.'
  if (code === 'ENOSPC' || code.startsWith('SQLITE_FULL'))
    return 'The disk is full. Nothing was lost; make room.'
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) {
    return 'The file is damaged or no catalog. Move it away: every claim is recovered from the destination, only the history of runs is lost.'
  }
  return 'Check that the folder exists and that you may write there. A lost catalog is recovered from the destination.'
}
