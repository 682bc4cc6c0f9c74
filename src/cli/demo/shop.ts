import Database from 'better-sqlite3'

/** What is copied: the tables with their columns, key first. All are ordered by `updated_at`. */
export const SHOP_TABLES = {
  products: ['id', 'name', 'price_cents', 'stock', 'updated_at'],
  orders: ['id', 'customer', 'status', 'total_cents', 'updated_at'],
  order_items: ['id', 'order_id', 'product_id', 'quantity', 'updated_at'],
} as const

export type ShopTable = keyof typeof SHOP_TABLES
export const SHOP_TABLE_NAMES = Object.keys(SHOP_TABLES) as readonly ShopTable[]

export const PRODUCT_COUNT = 40
const OLD_ORDER_COUNT = 300

/** Whole seconds, made by the database: what `CURRENT_TIMESTAMP` gives and most shops have. */
const NOW = "strftime('%Y-%m-%d %H:%M:%S', 'now')"

const COLUMNS: Record<ShopTable, string> = {
  products: 'name TEXT NOT NULL, price_cents INTEGER NOT NULL, stock INTEGER NOT NULL',
  orders: 'customer TEXT NOT NULL, status TEXT NOT NULL, total_cents INTEGER NOT NULL',
  order_items: 'order_id INTEGER NOT NULL, product_id INTEGER NOT NULL, quantity INTEGER NOT NULL',
}

const tableSql = (table: ShopTable): string => `
  CREATE TABLE ${table} (
    id INTEGER PRIMARY KEY NOT NULL,
    ${COLUMNS[table]},
    updated_at TEXT NOT NULL DEFAULT (${NOW})
  ) STRICT;
  CREATE INDEX ${table}_updated_at ON ${table} (updated_at);
  CREATE TRIGGER ${table}_touch AFTER UPDATE ON ${table} BEGIN
    UPDATE ${table} SET updated_at = ${NOW} WHERE id = NEW.id;
  END;`

/** Creates the shop as it stands before the day: products, and last month's orders. */
export function createShop(file: string): void {
  const db = new Database(file)
  try {
    db.pragma('journal_mode = WAL')
    db.transaction(() => {
      for (const table of SHOP_TABLE_NAMES) db.exec(tableSql(table))
      fillShop(db)
    })()
  } finally {
    db.close()
  }
}

function fillShop(db: Database.Database): void {
  db.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO products (id, name, price_cents, stock, updated_at)
     SELECT i, 'product ' || i, 500 + i * 137 % 9000, 100000, datetime('now', '-30 days') FROM n`,
  ).run(PRODUCT_COUNT)
  db.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO orders (id, customer, status, total_cents, updated_at)
     SELECT i, 'customer ' || i % 90, 'delivered', 1000 + i * 71 % 20000, datetime('now', '-30 days', (i * 97) || ' seconds')
     FROM n`,
  ).run(OLD_ORDER_COUNT)
  db.prepare(
    `INSERT INTO order_items (id, order_id, product_id, quantity, updated_at)
     SELECT id, id, 1 + id % ?, 1 + id % 3, updated_at FROM orders`,
  ).run(PRODUCT_COUNT)
}

/** How many rows each copied table holds, and the largest stamp in any of them. */
export function measureShop(file: string): { rowCount: number; newestStamp: string } {
  const db = new Database(file, { readonly: true })
  try {
    const union = SHOP_TABLE_NAMES.map((table) => `SELECT count(*) AS n, max(updated_at) AS t FROM ${table}`)
    const sql = `SELECT sum(n) AS rowCount, max(t) AS newestStamp FROM (${union.join(' UNION ALL ')})`
    return db.prepare(sql).get() as { rowCount: number; newestStamp: string }
  } finally {
    db.close()
  }
}
