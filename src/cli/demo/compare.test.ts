import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { compareCopy, type Kept, sumDifferences } from './compare.ts'
import { SHOP_TABLE_NAMES, SHOP_TABLES } from './shop.ts'

let db: Database.Database

beforeEach(() => {
  db = new Database(':memory:')
  for (const place of ['shop', 'copy']) {
    db.exec(`ATTACH ':memory:' AS ${place}`)
    for (const table of SHOP_TABLE_NAMES) {
      db.exec(`CREATE TABLE ${place}.${table} (${SHOP_TABLES[table].join(', ')})`)
    }
  }
  for (const id of [1, 2, 3]) {
    put('shop', id, 'paid')
    put('copy', id, 'paid')
  }
})
afterEach(() => void db.close())

function put(place: 'shop' | 'copy', id: number, status: string | null): void {
  const values = [id, 'ann', status, 100, '2026-11-27 10:00:05']
  db.prepare(`INSERT INTO ${place}.orders VALUES (?, ?, ?, ?, ?)`).run(values)
}

const differences = (kept: Kept) => sumDifferences(Object.values(compareCopy(db, kept)))
const none = { lost: 0, duplicated: 0, stale: 0, invented: 0 }

test('equal copies differ in nothing', () => {
  expect(differences('latest')).toEqual(none)
  expect(differences('versions')).toEqual(none)
})

test('a missing key is lost, another content stale, a foreign key invented', () => {
  db.exec('DELETE FROM copy.orders WHERE id = 1')
  db.exec("UPDATE copy.orders SET status = 'packed' WHERE id = 2")
  put('copy', 9, 'paid')
  expect(differences('latest')).toEqual({ lost: 1, duplicated: 0, stale: 1, invented: 1 })
})

test('NULL is not an empty text', () => {
  db.exec('UPDATE shop.orders SET status = NULL WHERE id = 1')
  db.exec("UPDATE copy.orders SET status = '' WHERE id = 1")
  expect(differences('latest')).toEqual({ ...none, stale: 1 })
})

test('a second row of a key is a duplicate, except an older version in a copy that keeps versions', () => {
  put('copy', 1, 'pending')
  put('copy', 2, 'paid')
  expect(differences('latest')).toEqual({ ...none, duplicated: 2 })
  expect(differences('versions')).toEqual({ ...none, duplicated: 1 })
})
