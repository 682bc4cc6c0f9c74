import Database from 'better-sqlite3'
import { freshSqliteFile } from '../../../test/support/sqlite-files.ts'
import { formatTemplate } from '../../kernel/moment.ts'
import { testContext } from '../../testing/destination-setup.ts'
import type { SuiteDatabase, SuiteRow } from '../../testing/source-setup.ts'
import { sourceSuite } from '../../testing/source-suite.ts'
import { connector } from './index.ts'

const TEMPLATE = 'YYYY-MM-DD HH:MM:SS'
const SCHEMA = `
  CREATE TABLE orders (id INTEGER PRIMARY KEY, changed_at TEXT DEFAULT CURRENT_TIMESTAMP, payload TEXT);
  CREATE INDEX orders_changed_at ON orders (changed_at)`

sourceSuite({
  async create(): Promise<SuiteDatabase> {
    const { path, url, db } = freshSqliteFile(SCHEMA)
    const insert = db.prepare('INSERT OR REPLACE INTO orders VALUES (?, ?, ?)')
    const put = db.transaction((rows: readonly SuiteRow[]) => {
      for (const { id, at, payload } of rows) {
        insert.run(id, at === null ? null : formatTemplate(TEMPLATE, at), payload)
      }
    })
    return {
      source: await connector.open({ url, context: testContext(() => {}) }),
      table: { schema: 'main', name: 'orders' },
      declared: { column: 'changed_at', stampedBy: 'database', encoding: 'iso', grain: 1_000_000n },
      put: async (rows) => put(rows),
      async remove(ids) {
        for (const id of ids) db.prepare('DELETE FROM orders WHERE id = ?').run(id)
      },
      async openWriter(id) {
        const writer = new Database(path)
        writer.exec('BEGIN IMMEDIATE')
        writer.prepare("INSERT INTO orders (id, payload) VALUES (?, 'written')").run(id)
        const end = (how: string) => async () => {
          writer.exec(how)
          writer.close()
        }
        return { commit: end('COMMIT'), rollback: end('ROLLBACK') }
      },
      addColumn: async () => void db.exec('ALTER TABLE orders ADD COLUMN more TEXT'),
      putInLane: {
        malformed: async (id) => void insert.run(id, '2026-1-5 10:00', 'no such width'),
      },
      close: async () => void db.close(),
    }
  },
})
