import type { Row } from '../connect/connection.ts'

const BYTE_ORDERED = /^(C|POSIX|C\.utf-?8|ucs_basic|pg_c_utf8|pg_unicode_fast)$/i
/** In these encodings the order of bytes is the order of code points. */
const ORDERED_ENCODINGS = ['UTF8', 'SQL_ASCII', 'LATIN1']

/** Why text under this collation cannot be ordered as bytes, or undefined when it can (spec E7). */
export function collationRefusal(name: string, schema: string, database: Row): string | undefined {
  if (!ORDERED_ENCODINGS.includes(database.encoding ?? '')) {
    return `the database's encoding ${database.encoding} has no byte order that is also the order of characters`
  }
  if (schema === 'pg_catalog' && name === 'default') {
    const icu = database.provider === 'i'
    const actual = icu ? `${database.locale} (ICU)` : (database.locale ?? database.collation ?? '')
    return !icu && BYTE_ORDERED.test(actual) ? undefined : refusal(`the database's default, ${actual}`)
  }
  return schema === 'pg_catalog' && BYTE_ORDERED.test(name) ? undefined : refusal(name)
}

function refusal(collation: string): string {
  return `its collation (${collation}) is not the order of bytes; use one of C, POSIX, C.UTF-8, ucs_basic, or another column`
}
