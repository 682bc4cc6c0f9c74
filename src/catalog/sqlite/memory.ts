import type { Lease } from '../catalog.ts'
import { atomically, type Db, reading } from './database.ts'
import { assertLatest } from './leases.ts'

export function recall(db: Db, scope: string, name: string): string | undefined {
  const sql = 'SELECT json FROM memory WHERE scope = ? AND name = ?'
  return reading(db, () => db.prepare(sql).pluck().get(scope, name)) as string | undefined
}

/** Replaces what was remembered; undefined forgets it. With a lease only while no later one was given (spec E63). */
export function remember(db: Db, scope: string, name: string, json: string | undefined, lease?: Lease): void {
  atomically(db, () => {
    if (lease) assertLatest(db, lease)
    if (json === undefined) db.prepare('DELETE FROM memory WHERE scope = ? AND name = ?').run(scope, name)
    else db.prepare('INSERT OR REPLACE INTO memory VALUES (?, ?, ?)').run(scope, name, json)
  })
}

/** The names under a scope that begin with `prefix`, sorted. */
export function memoryNames(db: Db, scope: string, prefix: string): readonly string[] {
  const sql =
    'SELECT name FROM memory WHERE scope = ? AND name >= ? AND substr(name, 1, length(?)) = ? ORDER BY name'
  return reading(db, () => db.prepare(sql).pluck().all(scope, prefix, prefix, prefix)) as string[]
}
