import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { freshSqliteFile } from '../../../../test/support/sqlite-files.ts'
import { openSqliteTable } from '../../../../test/support/sqlite-source.ts'
import { testContext } from '../../../testing/destination-setup.ts'
import type { ReadScope } from '../../source.ts'
import { connector } from '../index.ts'

const AT = { column: 'at', encoding: 'iso', grain: 1_000_000n, stampedBy: 'database' } as const
const ALL: ReadScope = {
  kind: 'range',
  range: { lower: undefined, upper: { kind: 'text', value: '2999-01-01 00:00:00' } },
}
const NOW = "at TEXT NOT NULL DEFAULT '2026-01-05 10:00:00'"

async function readOne(column: string, value: string, asText: readonly string[] = [], table = '') {
  const { url } = freshSqliteFile(
    `CREATE TABLE t (id INTEGER PRIMARY KEY, c ${column}, ${NOW}) ${table};
     INSERT INTO t (id, c) VALUES (7, ${value})`,
  )
  const opened = await openSqliteTable(url, 't', AT)
  try {
    return (await opened.rows(ALL, { asText }))[0]![1]
  } finally {
    await opened.close()
  }
}

describe('values (E75)', () => {
  test.each([
    ['INTEGER', '9223372036854775807', '9223372036854775807'],
    ['INTEGER', '-9223372036854775808', '-9223372036854775808'],
    ['INTEGER', '9007199254740993', '9007199254740993'],
    ['INTEGER', 'NULL', null],
    ['REAL', '5e-324', '5e-324'],
    ['REAL', '1.7976931348623157e308', '1.7976931348623157e+308'],
    ['REAL', '9e999', 'Infinity'],
    ['REAL', '-9e999', '-Infinity'],
    ['REAL', '0.1', '0.1'],
    ['REAL', '3', '3'],
    ['REAL', '1e15 + 0.3', '1000000000000000.2'],
    ['TEXT', "''", ''],
    ['TEXT', '12', '12'],
    ['TEXT', "char(0xFFFD) || 'x'", '\ufffdx'],
    ['TEXT', 'char(0x10FFFF)', '\u{10ffff}'],
    ['BLOB', "x''", '\\x'],
    ['BLOB', "x'00ff0a22'", '\\x00ff0a22'],
    ['BOOLEAN', 'TRUE', 't'],
    ['DECIMAL(10,2)', '0.10', '0.1'],
    ['DECIMAL(10,2)', '99999999.99', '99999999.99'],
    ['NUMERIC', '1e300', `1${'0'.repeat(300)}`],
    ['JSON', `'{"a":1,"a":12345678901234567890}'`, '{"a":1,"a":12345678901234567890}'],
    ['DATETIME', "'2026-01-05 10:00:00.123456'", '2026-01-05 10:00:00.123456'],
    ['DATETIME', '1767607200', '1767607200'],
    ['', "x'01'", '\\x01'],
  ])('%s %s arrives as %j', async (column, value, text) => {
    expect(await readOne(column, value)).toBe(text)
  })

  test.each([
    ['INTEGER', "'abc'", 'a text in INTEGER'],
    ['INTEGER', '1.5', 'a float in INTEGER'],
    ['INTEGER', "x'00'", 'a blob in INTEGER'],
    ['TEXT', "x'41'", 'a blob in TEXT'],
    ['BLOB', "'a'", 'a text in BLOB'],
    ['REAL', "'abc'", 'a text in REAL'],
    ['BOOLEAN', '2', 'an integer in BOOLEAN'],
    ['DECIMAL(10,2)', '1.234', 'more digits than DECIMAL(10,2)'],
    ['NUMERIC', "'abc'", 'a text in NUMERIC'],
    ['TEXT', "CAST(x'41ff' AS TEXT)", 'no UTF-8'],
    ['TEXT', "CAST(x'f09f98' AS TEXT)", 'no UTF-8'],
    ['TEXT', "'a' || char(0) || 'b'", 'NUL'],
  ])('%s %s stops by name', async (column, value, why) => {
    await expect(readOne(column, value)).rejects.toMatchObject({
      code: 'VALUE_NOT_REPRESENTABLE',
      message: expect.stringMatching(new RegExp(`t\\.c, id 7: .*${why.replaceAll(/[()]/g, '\\$&')}`)),
      context: { column: 'c', row: 'id 7' },
    })
  })

  test('a strict table refuses by itself, and its types are exact', async () => {
    expect(await readOne('INT', '5', [], 'STRICT')).toBe('5')
    await expect(readOne('INT', "'abc'", [], 'STRICT')).rejects.toThrow('cannot store TEXT value')
  })

  test('columns read as text take every class', async () => {
    expect(await readOne('INTEGER', "'abc'", ['c'])).toBe('abc')
    expect(await readOne('INTEGER', '1.5', ['c'])).toBe('1.5')
  })

  test('a row without key is named by its rowid', async () => {
    const { url } = freshSqliteFile(`CREATE TABLE t (rowid INTEGER, c INTEGER, ${NOW});
      INSERT INTO t (rowid, c) VALUES (1, 5), (2, 'x')`)
    const table = await openSqliteTable(url, 't', AT)
    await expect(table.rows(ALL)).rejects.toThrow('t.c, _rowid_ 2: a text in INTEGER')
    await table.close()
  })

  test('a UTF-16 file gives the same texts', async () => {
    const { url } =
      freshSqliteFile(`PRAGMA encoding = 'UTF-16le'; CREATE TABLE t (id INTEGER PRIMARY KEY, c TEXT, ${NOW});
      INSERT INTO t (id, c) VALUES (1, 'é' || char(0x1F6A2) || char(0xFFFD))`)
    const table = await openSqliteTable(url, 't', AT)
    expect((await table.rows(ALL))[0]![1]).toBe('é\u{1f6a2}\ufffd')
    await table.close()
  })
})

describe('a reader', () => {
  const SCHEMA = `CREATE TABLE t (id INTEGER PRIMARY KEY, c TEXT, ${NOW}); CREATE INDEX i ON t (at);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000)
    INSERT INTO t SELECT i, 'x', datetime('2026-01-05', i || ' seconds') FROM n;`

  test('reaches its failpoints, page by page', async () => {
    const reached: string[] = []
    const { url } = freshSqliteFile(SCHEMA)
    const table = await openSqliteTable(url, 't', AT, (name) => void reached.push(name))
    expect(await table.rows(ALL)).toHaveLength(5_000)
    expect(reached).toEqual([
      'read.locked',
      'read.snapshot_opened',
      ...Array.from({ length: 5 }, () => 'read.page_done'),
      'read.last_page_done',
    ])
    await table.close()
  })

  test('ends a query that takes too long, and can be used on', async () => {
    const { url } = freshSqliteFile(SCHEMA)
    const table = await openSqliteTable(url, 't', AT)
    await expect(table.rows(ALL, { queryMaxMs: 0 })).rejects.toMatchObject({ code: 'SOURCE_QUERY_TOO_LONG' })
    expect(await table.rows(ALL)).toHaveLength(5_000)
    await table.close()
  })

  test('keeps its snapshot and nobody waiting in WAL mode; in rollback mode writers wait for it', async () => {
    for (const [journal, busy] of [
      ['wal', false],
      ['delete', true],
    ] as const) {
      const { path, url } = freshSqliteFile(SCHEMA, journal)
      const table = await openSqliteTable(url, 't', AT)
      const reader = await table.source.openReader(table.request())
      const writer = new Database(path, { timeout: 0 })
      const write = (): unknown => writer.exec("INSERT INTO t (c) VALUES ('late')")
      if (busy) expect(write).toThrow('locked')
      else write()
      await reader.close()
      write()
      await table.close()
      writer.close()
    }
  })

  test('waits for a writer in rollback mode, then gives up by name', async () => {
    const { url, db } = freshSqliteFile(SCHEMA, 'delete')
    const table = await openSqliteTable(url, 't', AT)
    db.exec('BEGIN EXCLUSIVE')
    const waiting = table.source.openReader(table.request({ lockTimeoutMs: 5_000 }))
    await new Promise((resolve) => setTimeout(resolve, 100))
    db.exec('ROLLBACK')
    await (await waiting).close()
    db.exec('BEGIN EXCLUSIVE')
    await expect(table.source.openReader(table.request({ lockTimeoutMs: 50 }))).rejects.toMatchObject({
      code: 'SOURCE_UNAVAILABLE',
    })
    db.exec('ROLLBACK')
    await table.close()
  })

  test('leaves the event loop its turns', async () => {
    const { url } = freshSqliteFile(SCHEMA)
    const table = await openSqliteTable(url, 't', AT)
    let turns = 0
    const count = (): void => {
      turns++
      immediate = setImmediate(count)
    }
    let immediate = setImmediate(count)
    await table.rows(ALL)
    clearImmediate(immediate)
    expect(turns).toBeGreaterThan(5)
    await table.close()
  })

  test('lanes of a NOCASE key are paged without a gap', async () => {
    const { url } =
      freshSqliteFile(`CREATE TABLE t (k TEXT COLLATE NOCASE NOT NULL, at TEXT DEFAULT CURRENT_TIMESTAMP);
      CREATE UNIQUE INDEX u ON t (k COLLATE BINARY); INSERT INTO t VALUES ('a', NULL), ('A', NULL), ('b', NULL), ('B', NULL)`)
    const table = await openSqliteTable(url, 't', AT)
    const seen: (string | null)[] = []
    const lane = { kind: 'lane', lane: 'null', limit: 1 } as const
    for (let afterKey: string[] | undefined; ; afterKey = [seen.at(-1)!]) {
      const rows = await table.rows({ ...lane, afterKey })
      if (rows.length === 0) break
      seen.push(rows[0]![0]!)
    }
    expect(seen).toEqual(['A', 'B', 'a', 'b'])
    await table.close()
  })
})

describe('the plan (E51)', () => {
  const BIG = `CREATE TABLE t (id INTEGER PRIMARY KEY, at TEXT DEFAULT CURRENT_TIMESTAMP);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100001)
    INSERT INTO t SELECT i, datetime('2026-01-05', i || ' seconds') FROM n;`
  const range = {
    lower: { kind: 'text', value: '2026-01-06 00:00:00' },
    upper: { kind: 'text', value: '2026-01-06 00:01:00' },
  } as const

  test('a scan of a large table names the missing index; with it there is none', async () => {
    const { url, db } = freshSqliteFile(BIG)
    const table = await openSqliteTable(url, 't', AT)
    const before = await table.source.explain(table.request(), range)
    expect(before).toMatchObject({ sequentialScan: true, sort: false, expectedRows: 100_001 })
    expect(before.obstacle).toContain('CREATE INDEX "t_at" ON "t" ("at")')
    db.exec(/CREATE INDEX [^;]*/.exec(before.obstacle!)![0])
    const after = await table.source.explain(table.request(), range)
    expect(after).toMatchObject({ sequentialScan: false, sort: false, expectedRows: 60, obstacle: undefined })
    await table.close()
  })

  test('a small table may be scanned', async () => {
    const { url } = freshSqliteFile('CREATE TABLE t (id INTEGER PRIMARY KEY, at TEXT)')
    const table = await openSqliteTable(url, 't', AT)
    expect(await table.source.explain(table.request(), range)).toMatchObject({
      sequentialScan: true,
      obstacle: undefined,
    })
    await table.close()
  })
})

test('another file under the path is another source', async () => {
  const { path, url } = freshSqliteFile(`CREATE TABLE t (id INTEGER PRIMARY KEY, ${NOW})`, 'delete')
  const other = freshSqliteFile(`CREATE TABLE t (id INTEGER PRIMARY KEY, ${NOW})`, 'delete')
  const table = await openSqliteTable(url, 't', AT)
  const before = await table.source.identity()
  const { renameSync } = await import('node:fs')
  renameSync(other.path, path)
  await expect(table.fence()).rejects.toMatchObject({ code: 'SOURCE_CHANGED' })
  await expect(table.source.openReader(table.request())).rejects.toMatchObject({ code: 'SOURCE_CHANGED' })
  expect((await table.source.identity()).id).not.toBe(before.id)
  expect((await table.fence()).value).toBeDefined()
  await table.close()
})

test('a missing file is named and not created', async () => {
  const { path } = freshSqliteFile('')
  const missing = `${path}.missing`
  const open = (url: string) => connector.open({ url, context: testContext(() => {}) })
  await expect(open(`sqlite://${missing}`)).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' })
  const { existsSync, writeFileSync } = await import('node:fs')
  expect([missing, `${missing}-wal`, `${missing}-journal`].filter((file) => existsSync(file))).toEqual([])
  writeFileSync(missing, 'this is no database '.repeat(100))
  await expect(open(`sqlite://${missing}`)).rejects.toMatchObject({ code: 'SOURCE_FAILED' })
})
