import { quoteLiteral } from '../../kernel/sql-text.ts'
import type { ServerIdentity } from '../source.ts'
import type { Db } from './connection.ts'

/** A file is never promoted: it has one timeline. */
const TIMELINE = '1'

/**
 * Who answers: device and inode of the file, so that another file under the path is another source. The log position
 * is the schema cookie and then each AUTOINCREMENT counter, none of which ever falls in one file (spec E66).
 */
export function identityOf(db: Db, fileId: string): ServerIdentity {
  return {
    engine: 'sqlite',
    version: db.prepare('SELECT sqlite_version()').pluck().get() as string,
    id: fileId,
    database: 'main',
    timeline: TIMELINE,
    logPosition: {
      timeline: TIMELINE,
      text: counters(db)
        .map((value) => value.toString(16))
        .join(','),
    },
  }
}

/** A table without rows so far has no counter yet: 0 keeps its place in the list. */
function counters(db: Db): readonly bigint[] {
  const cookie = db.pragma('schema_version', { simple: true }) as bigint
  const known = db.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_sequence'").pluck().get()
  if (known === 0n) return [cookie]
  const sql = `SELECT coalesce((SELECT max(seq) FROM sqlite_sequence s WHERE s.name = t.name), 0)
    FROM sqlite_schema t WHERE t.type = 'table' AND t.sql LIKE ${quoteLiteral('%AUTOINCREMENT%')} ORDER BY t.name`
  return [cookie, ...(db.prepare(sql).pluck().all() as bigint[]).map((value) => (value < 0n ? 0n : value))]
}
