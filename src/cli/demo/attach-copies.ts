import { DuckDBInstance } from '@duckdb/node-api'
import Database from 'better-sqlite3'
import { SHOP_TABLE_NAMES, SHOP_TABLES } from './shop.ts'

/** A database in which the source is attached as `shop` and a copy kept in SQLite as `copy`, for `compareCopy`. */
export function attachSqliteCopy(shopFile: string, copyFile: string): Database.Database {
  const db = attachShop(shopFile)
  db.prepare('ATTACH ? AS copy').run(copyFile)
  return db
}

/** The same for a copy kept in DuckDB: its rows are brought over as they are, one by one. */
export async function attachDuckdbCopy(shopFile: string, copyFile: string): Promise<Database.Database> {
  const db = attachShop(shopFile)
  db.exec("ATTACH ':memory:' AS copy")
  const instance = await DuckDBInstance.create(copyFile, { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  try {
    for (const table of SHOP_TABLE_NAMES) {
      const columns = SHOP_TABLES[table]
      const names = columns.join(', ')
      db.exec(`CREATE TABLE copy.${table} (${names})`)
      db.exec(`CREATE INDEX copy.${table}_${columns[0]} ON ${table} (${columns[0]})`)
      const insert = db.prepare(`INSERT INTO copy.${table} VALUES (${columns.map(() => '?').join(', ')})`)
      const reader = await connection.runAndReadAll(`SELECT ${names} FROM main.${table}`)
      db.transaction(() => {
        for (const row of reader.getRows()) insert.run(row)
      })()
    }
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
  return db
}

function attachShop(shopFile: string): Database.Database {
  const db = new Database(':memory:')
  db.prepare('ATTACH ? AS shop').run(shopFile)
  return db
}
