import { quoteIdentifier } from '../../kernel/sql-text.ts'
import { type Db, isReadOnly } from './connection.ts'

/** What was read while no writer could be at work. */
export interface BarrierReading {
  readonly nowUs: bigint
  /** The table's AUTOINCREMENT counter; 0 before its first row. */
  readonly sequence: bigint
  /** False when the file could not have been written: then there was no lock either, and nothing is proven. */
  readonly writable: boolean
}

/** SQLite's clock counts milliseconds; all of one statement see one instant. */
const CLOCK = "SELECT unixepoch('now') * 1000000 + CAST(substr(strftime('%f', 'now'), 4) AS INTEGER) * 1000"

/**
 * Takes the write lock, reads the clock and the counter, and gives the lock back, without writing (spec E33). Writers
 * evaluate 'now' once they have the lock, so no later stamp is smaller. One synchronous step: the lock is never held
 * over a wait. Throws SQLITE_BUSY while a writer is at work.
 */
export function crossBarrier(db: Db, table: string): BarrierReading {
  try {
    db.exec('BEGIN IMMEDIATE')
  } catch (error) {
    if (!isReadOnly(error)) throw error
    return { nowUs: readClockUs(db), sequence: readSequence(db, table), writable: false }
  }
  try {
    const writable = canWrite(db, table)
    return { nowUs: readClockUs(db), sequence: readSequence(db, table), writable }
  } finally {
    db.exec('ROLLBACK')
  }
}

export function readClockUs(db: Db): bigint {
  return db.prepare(CLOCK).pluck().get() as bigint
}

function readSequence(db: Db, table: string): bigint {
  const known = db.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_sequence'").pluck().get()
  if (known === 0n) return 0n
  const sql = 'SELECT seq FROM sqlite_sequence WHERE lower(name) = lower(?)'
  return (db.prepare(sql).pluck().get(table) as bigint | undefined) ?? 0n
}

/**
 * On a read-only connection BEGIN IMMEDIATE succeeds without a lock; a statement that would write does not. The DELETE removes nothing
 * and changes no page; where the table's triggers or indexes need functions of the application it cannot be compiled,
 * and setting the file's user version to what it is, undone, serves instead.
 */
function canWrite(db: Db, table: string): boolean {
  try {
    db.prepare(`DELETE FROM main.${quoteIdentifier(table)} WHERE 0`).run()
    return true
  } catch (error) {
    if (isReadOnly(error)) return false
  }
  try {
    db.exec(`PRAGMA main.user_version = ${db.pragma('user_version', { simple: true })}`)
    return true
  } catch (error) {
    if (isReadOnly(error)) return false
    throw error
  }
}
