import type Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { freshSqliteFile } from '../../../test/support/sqlite-files.ts'
import { openSqliteTable, type SqliteTable } from '../../../test/support/sqlite-source.ts'
import type { Lane } from '../../kernel/lane.ts'
import { formatTemplate, positionToUs, usToPosition } from '../../kernel/moment.ts'
import { comparePositions, type Position } from '../../kernel/position.ts'
import { parseWire } from '../../testing/source-csv.ts'
import type { ReadScope } from '../source.ts'

const SECONDS = 'YYYY-MM-DD HH:MM:SS'
const STAMPED = `CREATE TABLE t (id INTEGER PRIMARY KEY, at TEXT DEFAULT CURRENT_TIMESTAMP, v);
  CREATE INDEX t_at ON t (at);`
const AT = { column: 'at', encoding: 'iso', grain: 1_000_000n, stampedBy: 'database' } as const

const range = (lower: Position | undefined, upper: Position): ReadScope => ({
  kind: 'range',
  range: { lower, upper },
})
const text = (value: string): Position => ({ kind: 'text', value })

async function ids(table: SqliteTable, scope: ReadScope, futureFromUs?: bigint): Promise<number[]> {
  const rows = await table.rows(scope, { futureFromUs })
  return rows.map((row) => Number(row[0])).sort((a, b) => a - b)
}

/** Waits by SQLite's own clock. */
async function untilClock(db: Database.Database, isGood: (now: string) => boolean): Promise<string> {
  for (;;) {
    const now = db.prepare("SELECT strftime('%Y-%m-%d %H:%M:%f', 'now')").pluck().get() as string
    if (isGood(now)) return now
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

describe('ties', () => {
  test('TIE-1: a row stamped in the second of the fence is in the next range', { retry: 3 }, async () => {
    const { url, db } = freshSqliteFile(STAMPED)
    const table = await openSqliteTable(url, 't', AT)
    await untilClock(db, (now) => now.slice(20) < '100')
    const stamp = db.prepare('INSERT INTO t (id) VALUES (1) RETURNING at').pluck().get()
    const first = (await table.fence()).value!
    const early = await ids(table, range(undefined, first))
    expect(db.prepare('INSERT INTO t (id) VALUES (2) RETURNING at').pluck().get()).toBe(stamp)
    expect(first.value).toBe(stamp)
    await untilClock(db, (now) => now > `${String(stamp)}.999`)
    const second = (await table.fence()).value!
    expect([...early, ...(await ids(table, range(first, second)))]).toEqual([1, 2])
    await table.close()
  })

  test('TIE-3: two rows of one stamp, read by two runs, are each read once; an idle run reads none', async () => {
    const { url, db } = freshSqliteFile(STAMPED)
    const table = await openSqliteTable(url, 't', AT)
    const stamp = db.prepare('INSERT INTO t (id) VALUES (1) RETURNING at').pluck().get() as string
    const w1 = (await table.fence()).value!
    const run1 = await ids(table, range(undefined, w1))
    db.prepare('INSERT INTO t (id, at) VALUES (2, ?)').run(stamp)
    await untilClock(db, (now) => now > `${stamp}.999`)
    const w2 = (await table.fence()).value!
    const run2 = await ids(table, range(w1, w2))
    const w3 = (await table.fence()).value!
    expect([...run1, ...run2]).toEqual([1, 2])
    expect(await ids(table, range(w2, w3))).toEqual([])
    await table.close()
  })
})

describe('precision', () => {
  test('PREC-2: a watermark between milliseconds of one second stays where it is', async () => {
    const { url } = freshSqliteFile(`${STAMPED} INSERT INTO t VALUES
      (1, '2026-01-05 10:00:00.999499', 0), (2, '2026-01-05 10:00:00.999500', 0), (3, '2026-01-05 10:00:00.999700', 0)`)
    const table = await openSqliteTable(url, 't', { ...AT, grain: 1n })
    const watermark = text('2026-01-05 10:00:00.999500')
    const again = usToPosition(table.order, positionToUs(table.order, watermark)!)
    expect(again).toEqual(watermark)
    expect(await ids(table, range(undefined, again))).toEqual([1])
    expect(await ids(table, range(again, text('2026-01-05 10:00:01.000000')))).toEqual([2, 3])
    await table.close()
  })

  test('PREC-3, PREC-4: an idle table is read once; the fence keeps the digits of the column', async () => {
    const { url, db } = freshSqliteFile(`CREATE TABLE t (id INTEGER PRIMARY KEY,
      at TEXT DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')), v); CREATE INDEX t_at ON t (at); INSERT INTO t (v) VALUES (1)`)
    const table = await openSqliteTable(url, 't', { ...AT, grain: 1_000n })
    const stamp = db.prepare('SELECT at FROM t').pluck().get() as string
    await untilClock(db, (now) => now > stamp)
    let lower: Position | undefined
    const read: number[][] = []
    for (let i = 0; i < 4; i++) {
      const upper = (await table.fence()).value!
      expect(upper.value).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/)
      read.push(await ids(table, range(lower, upper)))
      lower = upper
    }
    expect(read).toEqual([[1], [], [], []])
    await table.close()
  })

  test('PREC-5: neighbours above 2^53 stay apart and in order, up to the last', async () => {
    const { url } = freshSqliteFile(`CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, v);
      INSERT INTO t (id) VALUES (9007199254740991), (9007199254740992), (9007199254740993), (9223372036854775807)`)
    const table = await openSqliteTable(url, 't', { column: 'id', stampedBy: 'database' })
    const at = (value: bigint): Position => ({ kind: 'integer', value })
    const [w, end] = [at(9_007_199_254_740_992n), at(2n ** 63n)]
    const fence = await table.fence({ appendOnly: true })
    expect(fence.value).toEqual(end)
    const texts = async (scope: ReadScope) => (await table.rows(scope)).map((row) => row[0])
    expect(await texts(range(undefined, w))).toEqual(['9007199254740991'])
    expect(await texts(range(w, end))).toEqual([
      '9007199254740992',
      '9007199254740993',
      '9223372036854775807',
    ])
    const reader = await table.source.openReader(table.request())
    expect(await reader.nextBorder(w, end, 2)).toEqual(at(2n ** 63n - 1n))
    expect(await reader.newest()).toEqual(at(2n ** 63n - 1n))
    await reader.close()
    await table.close()
  })
})

test('LANE-1: rows without position are delivered, and leave the lane with their first stamp', async () => {
  const { url, db } = freshSqliteFile(
    `${STAMPED} INSERT INTO t (id, at) VALUES (1, NULL), (2, NULL), (3, NULL)`,
  )
  const table = await openSqliteTable(url, 't', AT)
  const lane: ReadScope = { kind: 'lane', lane: 'null', limit: 100, afterKey: undefined }
  expect(await ids(table, lane)).toEqual([1, 2, 3])
  db.exec("UPDATE t SET at = '2026-01-05 10:00:05', v = 'new' WHERE id = 2")
  expect(await ids(table, lane)).toEqual([1, 3])
  const upper = (await table.fence()).value!
  expect(await table.rows(range(undefined, upper))).toEqual([['2', '2026-01-05 10:00:05', 'new']])
  await table.close()
})

test('PREC-6: under BINARY the kernel orders texts as SQLite does', () => {
  const { db } = freshSqliteFile('CREATE TABLE t (v TEXT)')
  const unit = fc.oneof(
    fc.constantFrom('a', 'B', 'ä', ' ', '\u{10000}', '\uffff', '\u{1f6a2}'),
    fc.string({ unit: 'grapheme', maxLength: 2 }),
  )
  const insert = db.prepare('INSERT INTO t VALUES (?)')
  fc.assert(
    fc.property(
      fc.array(
        fc.string({ unit, maxLength: 6 }).filter((s) => !s.includes('\0')),
        { maxLength: 40 },
      ),
      (values) => {
        db.exec('DELETE FROM t')
        for (const value of values) insert.run(value)
        const sorted = db.prepare('SELECT v FROM t ORDER BY v').pluck().all()
        expect([...values].sort((a, b) => comparePositions(text(a), text(b)))).toEqual(sorted)
      },
    ),
    { numRuns: 50 },
  )
})

describe('lanes part any table (E43)', () => {
  const us = fc.bigInt({ min: 1_767_600_000_000_000n, max: 1_767_600_060_000_000n })
  const odd = fc.oneof(
    fc.constant(null),
    fc.string({ unit: 'grapheme', maxLength: 21 }),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.double({ noNaN: true }),
    fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom(
      '2026-01-05 10:00:0\0',
      '2026-01-05 10:00:00\0',
      '2026-01-05 10:00:00 ',
      '2026-1-5',
      '9999-99-99',
      '',
      'z',
    ),
  )

  test.each([
    ['text', 'at', us.map((each) => formatTemplate(SECONDS, each)), AT],
    ['epoch', 'at INTEGER', us.map((each) => each / 1_000_000n), { column: 'at', unit: 's', grain: 1n }],
    [
      'epoch without affinity',
      'at INT',
      us.map((each) => each / 1_000_000n),
      { column: 'at', unit: 's', grain: 1n },
    ],
  ] as const)('%s', async (_, type, good, declared) => {
    const { url, db } = freshSqliteFile(
      `CREATE TABLE t (id INTEGER PRIMARY KEY, ${type === 'at' ? 'at TEXT DEFAULT CURRENT_TIMESTAMP' : type}); CREATE INDEX i ON t (at)`,
    )
    const table = await openSqliteTable(url, 't', declared)
    const insert = db.prepare('INSERT INTO t VALUES (?, ?)')
    // Only the ids are read, for some of the odd values cannot travel.
    const shape = { ...table.shape, columns: table.shape.columns.slice(0, 1) }
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(good, odd), { maxLength: 30 }),
        us,
        us,
        async (values, fenceUs, futureUs) => {
          db.exec('DELETE FROM t')
          for (const [id, value] of values.entries()) insert.run(id, value)
          const upper = usToPosition(table.order, fenceUs)
          const futureFromUs = (futureUs > fenceUs ? futureUs : fenceUs) + 1_000_000n
          const reader = await table.source.openReader(table.request({ futureFromUs, shape }))
          const read = async (scope: ReadScope): Promise<number[]> => {
            const chunks: Buffer[] = []
            for await (const chunk of reader.read(scope).bytes) chunks.push(chunk as Buffer)
            return parseWire(Buffer.concat(chunks).toString('utf8')).map((row) => Number(row[0]))
          }
          const counts = await reader.countLanes(1_000)
          const seen = [
            ...(await read(range(undefined, upper))),
            ...(await read({ kind: 'peek', from: upper })),
          ]
          for (const lane of Object.keys(counts) as Lane[]) {
            const inLane = await read({ kind: 'lane', lane, limit: 1_000, afterKey: undefined })
            expect([lane, inLane.length]).toEqual([lane, counts[lane]])
            seen.push(...inLane)
          }
          await reader.close()
          expect(seen.sort((a, b) => a - b)).toEqual(values.map((_each, id) => id))
        },
      ),
      { numRuns: 60 },
    )
    await table.close()
  })
})
