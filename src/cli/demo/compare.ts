import type Database from 'better-sqlite3'
import { SHOP_TABLE_NAMES, SHOP_TABLES, type ShopTable } from './shop.ts'

/** How a copy differs from the source, in rows. */
export interface Difference {
  /** In the source, and its key is not in the copy. */
  readonly lost: number
  /** More rows than there should be: of a key, or, in a copy that keeps versions, of the very same version. */
  readonly duplicated: number
  /** The key is in the copy, but in none of its rows is the content the source's. */
  readonly stale: number
  /** In the copy under a key that the source does not have. */
  readonly invented: number
}

/** Whether a copy should hold one row a key, or one row a version. */
export type Kept = 'latest' | 'versions'

/**
 * Compares every row, value by value. `db` has the source attached as `shop` and the copy as `copy`; nothing is taken
 * from counters or marks that the strategies keep.
 */
export function compareCopy(db: Database.Database, kept: Kept): Record<ShopTable, Difference> {
  const entries = SHOP_TABLE_NAMES.map((table) => [table, compareTable(db, table, kept)])
  return Object.fromEntries(entries) as Record<ShopTable, Difference>
}

export function sumDifferences(differences: readonly Difference[]): Difference {
  const sum = (name: keyof Difference): number => differences.reduce((total, each) => total + each[name], 0)
  return {
    lost: sum('lost'),
    duplicated: sum('duplicated'),
    stale: sum('stale'),
    invented: sum('invented'),
  }
}

function compareTable(db: Database.Database, table: ShopTable, kept: Kept): Difference {
  const columns = SHOP_TABLES[table]
  const [key] = columns
  const identity = kept === 'latest' ? key : columns.join(', ')
  const equal = columns.map((column) => `c.${column} IS s.${column}`).join(' AND ')
  const count = (sql: string): number => db.prepare(sql).pluck().get() as number
  const known = `SELECT 1 FROM copy.${table} c WHERE c.${key} = s.${key}`
  return {
    lost: count(`SELECT count(*) FROM shop.${table} s WHERE NOT EXISTS (${known})`),
    duplicated: count(
      `SELECT coalesce(sum(n - 1), 0) FROM (SELECT count(*) AS n FROM copy.${table} GROUP BY ${identity})`,
    ),
    stale: count(
      `SELECT count(*) FROM shop.${table} s WHERE EXISTS (${known})
       AND NOT EXISTS (SELECT 1 FROM copy.${table} c WHERE ${equal})`,
    ),
    invented: count(
      `SELECT count(*) FROM copy.${table} c
       WHERE NOT EXISTS (SELECT 1 FROM shop.${table} s WHERE s.${key} = c.${key})`,
    ),
  }
}
