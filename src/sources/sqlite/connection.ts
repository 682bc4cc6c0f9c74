import { type BigIntStats, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { PlimsollError } from '../../kernel/errors.ts'
import type { Address } from './address.ts'

export type Db = Database.Database

const FIRST_PAUSE_MS = 2
const LONGEST_PAUSE_MS = 50

/**
 * Opens a file that must exist; never creates one. Lock waits are ours (`untilFree`), so that the event loop goes on
 * meanwhile. Integers come as bigint. Throws SOURCE_UNAVAILABLE.
 */
export function openFile(address: Address, readOnly: boolean): Db {
  return named(address.file, () => {
    const db = new Database(address.file, { readonly: readOnly, fileMustExist: true, timeout: 0 })
    db.defaultSafeIntegers(true)
    return db
  })
}

/** The file under the path. Throws SOURCE_UNAVAILABLE when there is none. */
export function statFile(file: string): BigIntStats {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
  if (stats?.isFile()) return stats
  throw new PlimsollError('SOURCE_UNAVAILABLE', `there is no SQLite file ${file}`, {
    hint: 'Check the path in the address; a relative one begins in the working directory. The file is never created.',
  })
}

/**
 * Runs `body`, again and again while another process holds the lock it needs, up to `waitMs`; then SOURCE_UNAVAILABLE. Other failures
 * of the file are named. `body` must be repeatable as a whole.
 */
export async function untilFree<T>(db: Db, waitMs: number, body: () => T): Promise<T> {
  const answer = await tryUntilFree(db, waitMs, body)
  if (answer.free) return answer.value
  throw new PlimsollError(
    'SOURCE_UNAVAILABLE',
    `${db.name} was locked for ${Math.round(answer.waitedMs)} ms`,
    {
      hint: 'A writer holds the file. If no program writes it, look for one that died in the debugger: fuser shows it.',
    },
  )
}

export type LockAnswer<T> =
  | { readonly free: true; readonly value: T; readonly waitedMs: number }
  | { readonly free: false; readonly waitedMs: number }

/** As `untilFree`, but a lock that stays is an answer, not an error. */
export async function tryUntilFree<T>(db: Db, waitMs: number, body: () => T): Promise<LockAnswer<T>> {
  const began = performance.now()
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      const value = named(db.name, body)
      return { free: true, value, waitedMs: performance.now() - began }
    } catch (error) {
      if (!isBusy(error)) throw error
    }
    const waitedMs = performance.now() - began
    if (waitedMs >= waitMs) return { free: false, waitedMs }
    await sleep(Math.min(pauseMs, waitMs - waitedMs))
  }
}

/** One read transaction around several statements: all see the same state. */
export function inReadTransaction<T>(db: Db, body: () => T): T {
  db.exec('BEGIN')
  try {
    return body()
  } finally {
    if (db.inTransaction) db.exec('ROLLBACK')
  }
}

export function isBusy(error: unknown): boolean {
  return hasCode(error) && /^SQLITE_(BUSY|LOCKED)/.test(error.code)
}

export function isReadOnly(error: unknown): boolean {
  return hasCode(error) && error.code.startsWith('SQLITE_READONLY')
}

/** Turns SQLite's failures of file and disk into ours; busy ones and faults in SQL pass through. */
export function named<T>(file: string, body: () => T): T {
  try {
    return body()
  } catch (error) {
    if (!hasCode(error) || isBusy(error)) throw error
    if (/^SQLITE_(NOTADB|CORRUPT)/.test(error.code)) {
      throw new PlimsollError('SOURCE_FAILED', `${file} is damaged or no SQLite database: ${error.message}`, {
        hint: 'Look at it with: sqlite3 FILE "PRAGMA integrity_check". Nothing was landed.',
        cause: error,
      })
    }
    if (/^SQLITE_(CANTOPEN|IOERR|READONLY|PERM|AUTH|PROTOCOL)/.test(error.code)) {
      throw new PlimsollError('SOURCE_UNAVAILABLE', `${file} cannot be read: ${error.message}`, {
        hint: 'Check that you may read the file and, in WAL mode, write its -shm file.',
        context: { code: error.code },
        cause: error,
      })
    }
    throw error
  }
}

function hasCode(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
}
