import { expect, test } from 'vitest'
import { streamSettings } from '../support/engine.ts'
import { freshSqliteFile } from '../support/sqlite-files.ts'
import { lookAt, said } from './scene.ts'

const NOW = `strftime('%Y-%m-%d %H:%M:%f', 'now')`
const ORDERS = `CREATE TABLE orders (id INTEGER PRIMARY KEY AUTOINCREMENT, updated_at TEXT NOT NULL DEFAULT (${NOW}), writer TEXT);
  CREATE INDEX by_time ON orders (updated_at);`
const TOUCH = `CREATE TRIGGER touch AFTER UPDATE ON orders BEGIN UPDATE orders SET updated_at = ${NOW} WHERE id = NEW.id; END;`
const DECLARED = streamSettings('main.orders', { position: { column: 'updated_at', stampedBy: 'database' } })

const file = (more: string) => freshSqliteFile(`${ORDERS} ${more}`)
const stamped = (offset: string): string => `strftime('%Y-%m-%d %H:%M:%f', 'now', '${offset}')`

test('a table without a lie: every check was made, and none found anything', async () => {
  const { url, db } = file(TOUCH)
  for (let i = 0; i < 30; i++) db.exec('INSERT INTO orders (writer) VALUES (NULL)')
  const { all } = await lookAt(url, DECLARED)
  const checks = [...all.checks, ...all.tables[0]!.checks]
  expect(checks.filter(({ severity }) => severity !== 'ok' && severity !== 'note')).toEqual([])
  expect(checks).toHaveLength(23)
})

test('L1: the writer at work holds the write lock, and how long is his lateness', async () => {
  const { url, db } = file('')
  expect(said((await lookAt(url, DECLARED)).of('L1'))).toMatch(
    /^note: Rows of main\.orders become visible up to [\d.]+ ms after their stamp \(p99 not enough: 1 of 299, 1 look at the write lock\)\. The fence covers this; /,
  )
  db.exec('BEGIN IMMEDIATE; INSERT INTO orders (id) VALUES (1)')
  setTimeout(() => db.exec('COMMIT'), 300)
  const { of } = await lookAt(url, DECLARED)
  expect(Number(of('L1').figures.max_us)).toBeGreaterThan(150_000)
  expect(db.prepare('SELECT count(*) FROM orders').pluck().get()).toBe(1)
})

test('L1: a lock that is not given back in time, and a file that may only be read', async () => {
  const { url, db } = file('')
  db.exec('BEGIN IMMEDIATE; INSERT INTO orders (id) VALUES (1)')
  const short = { ...DECLARED, limits: { ...DECLARED.limits, doctorQueryMaxMs: 50 } }
  expect(said((await lookAt(url, short)).of('L1'))).toMatch(/up to \d+ ms and more after their stamp/)
  db.exec('ROLLBACK')
  const { of } = await lookAt(`${url}?mode=ro`, DECLARED)
  expect(said(of('L1'))).toBe(
    'could_not_look: the file cannot be written from here, so its write lock tells nothing',
  )
})

test('L2: triggers that move the position, and some that do not', async () => {
  const of = async (more: string) => said((await lookAt(file(more).url, DECLARED)).of('L2'))
  const found = (why: string) =>
    `warning: Nothing in the database moves updated_at when a row changes (${why}): scripts change rows unseen.`
  expect(await of('')).toBe(found('no trigger sets it'))
  expect(await of(TOUCH.replace('UPDATE ON', 'UPDATE OF writer ON'))).toBe(
    found('the trigger touch fires at some changes only'),
  )
  expect(await of(TOUCH.replace('AFTER UPDATE', 'AFTER INSERT'))).toBe(found('no trigger sets it'))
  const guarded = TOUCH.replace('BEGIN', 'WHEN NEW.updated_at = OLD.updated_at BEGIN')
  expect(await of(guarded)).toBe(
    'ok: The trigger touch moves updated_at whenever a row of main.orders changes.',
  )
  const { url, db } = file(`INSERT INTO orders VALUES (1, '2020-01-01 00:00:00.000', 'a')`)
  db.exec((await lookAt(url, DECLARED)).of('L2').remedy!)
  db.exec(`UPDATE orders SET writer = 'b'`)
  expect(db.prepare('SELECT updated_at FROM orders').pluck().get()).toMatch(/^20(2[6-9]|[3-9]\d)-.*\.\d{3}$/)
  expect((await lookAt(url, DECLARED)).of('L2').severity).toBe('ok')
})

test('L3: ties', async () => {
  const { url, db } = file('')
  const at = (seconds: number, n: number) => {
    for (let i = 0; i < n; i++)
      db.exec(
        `INSERT INTO orders (updated_at) VALUES (strftime('%Y-%m-%d %H:%M:%S.000', 'now', '-${seconds} seconds'))`,
      )
  }
  ;[5, 5, 4, 3, 1, 1, 1].forEach((n, i) => {
    at(10 + 2 * i, n)
  })
  expect(said((await lookAt(url, DECLARED)).of('L3'))).toBe(
    'note: Up to 5 rows share one second; each page boundary inside a tie would cost a reader with `>` 1.45 rows.',
  )
})

test('L4: by keys that grow', async () => {
  const { url, db } = file('')
  const insert = db.prepare(`INSERT INTO orders (updated_at) VALUES (datetime('2026-01-01', ?) || '.000')`)
  for (let i = 0; i < 200; i++) insert.run(`+${i} minutes`)
  expect(said((await lookAt(url, DECLARED)).of('L4'))).toBe(
    'ok: No row of main.orders carries a date older than everything written before it (by keys that grow).',
  )
  db.exec(`UPDATE orders SET updated_at = '2025-09-01 00:00:00.000' WHERE id IN (100, 130)`)
  expect(said((await lookAt(url, DECLARED)).of('L4'))).toBe(
    'warning: At least 1 row carries a date older than everything written before it (latest: 100, dated 2025-09-01 00:00:00.000, written about 2026-01-01 00:49:00Z).',
  )
})

test('L5, L6: the future, and a clock that is ahead', async () => {
  const { url, db } = file(`INSERT INTO orders (id) VALUES (1)`)
  const honest = await lookAt(url, DECLARED)
  expect([honest.of('L5').severity, honest.of('L6').severity]).toEqual(['ok', 'ok'])
  db.exec(
    `INSERT INTO orders (updated_at, writer) VALUES (${stamped('+40 seconds')}, 'till''7'), ('2038-01-19 03:14:07.000', 'till''7')`,
  )
  const { of } = await lookAt(url, DECLARED)
  expect(said(of('L5'))).toBe(
    'warning: 2 rows are dated up to 2038-01-19 03:14:07.000; a mark taken from max(updated_at) would stand there for good.',
  )
  expect(said(of('L6'))).toMatch(/^warning: Writer till'7 stamps (40|39|39\.\d) s ahead of the database\.$/)
})

test('L7: texts that are not in UTC', async () => {
  const { url, db } = file(`INSERT INTO orders (id) VALUES (1)`)
  expect(said((await lookAt(url, DECLARED)).of('L7'))).toBe(
    'ok: No updated_at of main.orders is ahead of UTC, in which texts are read.',
  )
  db.exec(`UPDATE orders SET updated_at = ${stamped('+2 hours')}`)
  const { of } = await lookAt(url, DECLARED)
  expect(said(of('L7'))).toBe(
    'blocker: updated_at has no zone and runs 8 quarter hours from UTC; which hour repeats is not known.',
  )
  expect(of('L7').remedy).toContain(`without 'localtime'`)
})

test('L8: several forms of storage', async () => {
  const { url, db } = freshSqliteFile(
    'CREATE TABLE orders (id INTEGER PRIMARY KEY, updated_at TEXT); CREATE INDEX t ON orders (updated_at)',
  )
  for (let i = 0; i < 25; i++) db.exec(`INSERT INTO orders (updated_at) VALUES (${stamped(`-${i} seconds`)})`)
  expect(said((await lookAt(url, DECLARED)).of('L8'))).toBe(
    'ok: Every row of main.orders has a place in the order.',
  )
  db.exec(`INSERT INTO orders (updated_at) VALUES (NULL), ('2026-01-01T00:00:00Z'), (x'00'), ('yesterday')`)
  const { of } = await lookAt(url, DECLARED)
  expect(said(of('L8'))).toBe(
    'warning: 4 rows have no place in the order (1 null, 3 malformed); no reader by position ever sees them.',
  )
  expect(of('L8').figures).toMatchObject({
    "form text of 23 with ' '": '25',
    "form text of 20 with 'T'": '1',
    'form null': '1',
  })
})

test('L10: keys that are no longer there', async () => {
  const { url, db } = file(`INSERT INTO orders (id) VALUES (1), (2), (3)`)
  expect((await lookAt(url, DECLARED)).of('L10').severity).toBe('ok')
  db.exec('DELETE FROM orders WHERE id <> 2')
  expect(said((await lookAt(url, DECLARED)).of('L10'))).toBe(
    'warning: 2 rows were deleted since its first key; updated_at cannot show it.',
  )
  const untold = freshSqliteFile(`${ORDERS.replace(' AUTOINCREMENT', '')}`)
  expect(said((await lookAt(untold.url, DECLARED)).of('L10'))).toBe(
    'note: Whether rows of main.orders were deleted leaves no trace here; updated_at cannot show it.',
  )
})

test('L12: cascades', async () => {
  const lines = (rule: string) =>
    `CREATE TABLE lines (n INTEGER PRIMARY KEY, o INTEGER REFERENCES orders ${rule});`
  expect((await lookAt(file(lines('')).url, DECLARED)).of('L12').severity).toBe('ok')
  expect(said((await lookAt(file(lines('ON UPDATE CASCADE')).url, DECLARED)).of('L12'))).toBe(
    'warning: The key of main.orders can change: lines follows it with ON UPDATE CASCADE.',
  )
})

test('L13, L14: a view whose position is another at every look', async () => {
  const { url } = file(`INSERT INTO orders (id, updated_at) VALUES (1, '2026-01-02 03:04:05.678');
    CREATE VIEW v AS SELECT id, strftime('%Y-%m-%d %H:%M:%S', julianday('now') - abs(random() % 100000) / 86400.0) AS updated_at FROM orders`)
  const honest = await lookAt(url, DECLARED)
  expect(said(honest.of('L13'))).toBe(
    'ok: The largest updated_at, 2026-01-02 03:04:05.678, comes back as it was sent.',
  )
  expect(said(honest.of('L14'))).toBe('ok: This role sees main.orders as a whole.')
  const position = { column: 'updated_at', encoding: 'iso' } as const
  const { of } = await lookAt(url, streamSettings('main.v', { key: ['id'], position }))
  expect(said(of('L13'))).toMatch(
    /^blocker: updated_at does not come back as sent: 20\d\d-[\d -:.]+ finds 0 rows\.$/,
  )
  expect(said(of('L14'))).toBe(
    'blocker: What this role sees of main.v is filtered (it is a view): rows that leave the filter leave unseen.',
  )
})

test('counters, epochs and hostile names are looked at like the rest', async () => {
  const { url, db } = freshSqliteFile(
    `CREATE TABLE "o'r ""d" ("k'e""y" INTEGER PRIMARY KEY AUTOINCREMENT, "upd'ated ""at" INTEGER NOT NULL);
     CREATE INDEX "i'""" ON "o'r ""d" ("upd'ated ""at");`,
  )
  const insert = db.prepare(
    `INSERT INTO "o'r ""d" ("upd'ated ""at") VALUES (CAST(unixepoch('subsec') * 1000 AS INTEGER) - ?)`,
  )
  for (let i = 0; i < 30; i++) insert.run(i * 1000)
  const named = {
    ...DECLARED,
    table: { schema: 'main', name: `o'r "d` },
    position: { column: `upd'ated "at`, unit: 'ms' as const },
  }
  const { all, of } = await lookAt(url, named)
  expect(all.tables[0]!.checks.filter(({ severity }) => severity === 'could_not_look')).toEqual([])
  expect(of('L5').severity).toBe('ok')
  db.exec(of('L2').remedy!)
  expect((await lookAt(url, named)).of('L2').severity).toBe('ok')
  const counted = { ...named, position: { column: `k'e"y` }, appendOnly: true }
  expect(said((await lookAt(url, counted)).of('L5'))).toBe(
    `ok: The positions of main."o'r ""d" are not compared with a clock.`,
  )
})

test('a query that meets its limit could not look, and is no finding', async () => {
  const { url, db } = file('')
  const insert = db.prepare('INSERT INTO orders (writer) VALUES (NULL)')
  db.transaction(() => {
    for (let i = 0; i < 20_000; i++) insert.run()
  })()
  const short = { ...DECLARED, limits: { ...DECLARED.limits, doctorQueryMaxMs: 1 } }
  const { of } = await lookAt(url, short)
  expect(said(of('L3'))).toBe('could_not_look: the query took longer than 1 ms')
  expect(of('L14').severity).toBe('ok')
})
