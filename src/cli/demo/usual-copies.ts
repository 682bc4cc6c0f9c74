import { join } from 'node:path'
import Database from 'better-sqlite3'
import { SHOP_TABLE_NAMES, SHOP_TABLES, type ShopTable } from './shop.ts'
import { STRATEGIES, type Strategy } from './strategies.ts'

/** The copies that the usual strategies keep, each in a database of its own. */
export interface UsualCopies {
  /** Every strategy reads every table, all in one snapshot of the shop. */
  extract(): void
  readonly copies: readonly UsualCopy[]
  close(): void
}

export interface UsualCopy {
  readonly strategy: Strategy
  readonly file: string
  readonly rowsRead: number
  /** The least of its marks; undefined before the first run. */
  readonly mark: string | undefined
}

/** Opens the shop for reading and creates an empty copy for each strategy. */
export function openUsualCopies(shopFile: string, folder: string): UsualCopies {
  const shop = new Database(shopFile, { readonly: true })
  const copies = STRATEGIES.map((strategy) => createCopy(strategy, join(folder, `${strategy.id}.sqlite`)))
  return {
    copies,
    extract: shop.transaction(() => {
      const nowMs = Date.now()
      for (const copy of copies) copy.extract(shop, nowMs)
    }),
    close() {
      shop.close()
      for (const copy of copies) copy.close()
    },
  }
}

function createCopy(strategy: Strategy, file: string) {
  const db = new Database(file)
  db.pragma('synchronous = OFF')
  const landers = new Map(SHOP_TABLE_NAMES.map((table) => [table, createLander(db, strategy, table)]))
  const marks = new Map<ShopTable, string | undefined>()
  let rowsRead = 0
  const extractTable = (shop: Database.Database, table: ShopTable, nowMs: number): void => {
    const mark = marks.get(table)
    const { where, values } = strategy.select(mark, nowMs)
    const sql = `SELECT ${SHOP_TABLES[table].join(', ')} FROM ${table} WHERE ${where} ORDER BY updated_at, id`
    const rows = shop.prepare(sql).raw().all(values) as unknown[][]
    for (const row of rows) landers.get(table)!.run(row)
    rowsRead += rows.length
    marks.set(table, strategy.nextMark(mark, rows.at(-1)?.at(-1) as string | undefined, nowMs))
  }
  return {
    strategy,
    file,
    get rowsRead() {
      return rowsRead
    },
    get mark() {
      const known = SHOP_TABLE_NAMES.map((table) => marks.get(table))
      return known.includes(undefined) ? undefined : (known as string[]).sort()[0]
    },
    extract(shop: Database.Database, nowMs: number) {
      db.transaction(() => {
        for (const table of SHOP_TABLE_NAMES) extractTable(shop, table, nowMs)
      })()
    },
    close: () => void db.close(),
  }
}

function createLander(db: Database.Database, { landing }: Strategy, table: ShopTable): Database.Statement {
  const [key, ...others] = SHOP_TABLES[table]
  db.exec(`CREATE TABLE ${table} (${[key, ...others].join(', ')})`)
  db.exec(`CREATE ${landing === 'upsert' ? 'UNIQUE' : ''} INDEX ${table}_${key} ON ${table} (${key})`)
  const insert = `INSERT INTO ${table} VALUES (${[key, ...others].map(() => '?').join(', ')})`
  if (landing === 'append') return db.prepare(insert)
  const sets = others.map((column) => `${column} = excluded.${column}`).join(', ')
  return db.prepare(`${insert} ON CONFLICT (${key}) DO UPDATE SET ${sets}`)
}
