import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { freshSqliteFile } from '../../../test/support/sqlite-files.ts'
import { openSqliteTable, SQLITE_POLICY } from '../../../test/support/sqlite-source.ts'
import { usToPosition } from '../../kernel/moment.ts'
import { testContext } from '../../testing/destination-setup.ts'
import { connector } from './index.ts'

const STAMPED = `CREATE TABLE t (id INTEGER PRIMARY KEY, at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);
  CREATE INDEX t_at ON t (at);`
const AT = { column: 'at', encoding: 'iso', grain: 1_000_000n, stampedBy: 'database' } as const

describe.each(['wal', 'delete'] as const)('a barrier in journal mode %s', (journal) => {
  test('is proven, equals what strftime says, and changes nothing in the file', async () => {
    const { path, url, db } = freshSqliteFile(STAMPED, journal)
    const table = await openSqliteTable(url, 't', AT)
    db.pragma('wal_checkpoint(TRUNCATE)')
    const [bytes, version] = [readFileSync(path), db.pragma('data_version', { simple: true })]
    const before = clock(db)
    const fence = await table.fence()
    const after = clock(db)
    expect(fence).toMatchObject({
      method: 'S1',
      proof: 'proven',
      guardUs: '0',
      witnesses: [],
      clockStepUs: '0',
    })
    expect(fence.value).toEqual(usToPosition(table.order, BigInt(fence.t0)))
    expect(before <= String(fence.value?.value) && String(fence.value?.value) <= after).toBe(true)
    expect(readFileSync(path).equals(bytes)).toBe(true)
    expect(db.pragma('data_version', { simple: true })).toBe(version)
    db.exec('INSERT INTO t DEFAULT VALUES') // The lock is free again.
    await table.close()
  })

  test('is held while a writer is at work, naming it, and goes on afterwards', async () => {
    const { url, db } = freshSqliteFile(STAMPED, journal)
    const table = await openSqliteTable(url, 't', AT)
    db.exec('BEGIN; INSERT INTO t DEFAULT VALUES')
    const held = await table.fence()
    expect(held.value).toBeUndefined()
    expect(held.heldBecause).toContain('held the write lock')
    expect(Number(held.waitedUs)).toBeGreaterThanOrEqual(60_000)
    if (process.platform === 'linux') expect(held.witnesses[0]?.pid).toBe(process.pid)
    const again = await table.fence()
    expect(Number(again.witnesses[0]?.transactionAgeUs)).toBeGreaterThan(120_000)
    db.exec('COMMIT')
    const free = await table.fence()
    expect(free.value).toBeDefined()
    expect(String(free.value?.value) >= (db.prepare('SELECT at FROM t').pluck().get() as string)).toBe(true)
    db.exec('BEGIN; INSERT INTO t DEFAULT VALUES')
    expect(Number((await table.fence()).witnesses[0]?.transactionAgeUs)).toBeLessThan(1_000_000)
    db.exec('ROLLBACK')
    await table.close()
  })

  test('a read-only file is never proven, though BEGIN IMMEDIATE succeeds (OWN-6)', async () => {
    const { url, db } = freshSqliteFile(STAMPED, journal)
    db.exec('BEGIN; INSERT INTO t DEFAULT VALUES')
    const table = await openSqliteTable(`${url}?mode=ro`, 't', AT)
    const fence = await table.fence({ settleMs: 5_000 })
    expect(fence).toMatchObject({ method: 'settle', proof: 'assumed' })
    expect(fence.proofReason).toContain('read-only')
    expect(fence.value).toEqual(usToPosition(table.order, BigInt(fence.t0) - 5_000_000n))
    await expect(table.fence({ method: 'S1' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    await table.close()
    db.exec('ROLLBACK')
  })
})

describe('a fence', () => {
  test('where triggers need functions of the application is proven all the same', async () => {
    const { url, db } = freshSqliteFile(STAMPED)
    db.function('of_the_application', () => 1)
    db.exec('CREATE TRIGGER gone AFTER DELETE ON t BEGIN SELECT of_the_application(); END')
    const version = db.pragma('data_version', { simple: true })
    const table = await openSqliteTable(url, 't', AT)
    expect((await table.fence()).proof).toBe('proven')
    expect(db.pragma('data_version', { simple: true })).toBe(version)
    await table.close()
  })

  test('of undeclared or foreign stamps is assumed, and so is one that only waits', async () => {
    const { url } = freshSqliteFile(STAMPED)
    const table = await openSqliteTable(url, 't', AT)
    expect((await table.fence({}, { stampedBy: 'unknown' })).proof).toBe('assumed')
    expect((await table.fence({}, { stampedBy: 'application' })).proof).toBe('assumed')
    expect(await table.fence({ method: 'settle' })).toMatchObject({ method: 'settle', proof: 'assumed' })
    await expect(table.fence({ method: 'P1' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    await table.close()
  })

  test.each([
    ['s', 'unixepoch()', 1_000_000n],
    ['ms', "CAST(unixepoch('now', 'subsec') * 1000 AS INTEGER)", 1_000n],
  ] as const)(
    'of an epoch in %s is the instant floored to the unit (E8)',
    async (unit, expression, usPerUnit) => {
      const { url } =
        freshSqliteFile(`CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER DEFAULT (${expression}));
      CREATE INDEX t_at ON t (at);`)
      const table = await openSqliteTable(url, 't', { column: 'at', grain: 1n, stampedBy: 'database' })
      expect(table.order).toMatchObject({ kind: 'integer', flavour: 'epoch', unit })
      const fence = await table.fence()
      expect(fence.value).toEqual({ kind: 'integer', value: BigInt(fence.t0) / usPerUnit })
      await table.close()
    },
  )

  test('of AUTOINCREMENT is one above the counter, rolled back numbers are passed, and updates must not be (E35)', async () => {
    const { url, db } = freshSqliteFile('CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, v)')
    const table = await openSqliteTable(url, 't', { column: 'id', stampedBy: 'database' })
    const fence = () => table.fence({ appendOnly: true })
    expect(await fence()).toMatchObject({ method: 'N1', proof: 'proven', value: { value: 1n } })
    db.exec('INSERT INTO t (v) VALUES (1), (2), (3); DELETE FROM t WHERE id = 3')
    expect((await fence()).value).toEqual({ kind: 'integer', value: 4n })
    db.exec('BEGIN; INSERT INTO t (v) VALUES (4)')
    expect((await fence()).value).toBeUndefined()
    db.exec('ROLLBACK; INSERT INTO t (id, v) VALUES (9223372036854775807, 5)')
    expect((await fence()).value).toEqual({ kind: 'integer', value: 2n ** 63n })
    await expect(table.fence()).rejects.toMatchObject({ code: 'POSITION_REFUSED' })
    await table.close()
  })

  test('takes the coarser grain that the values show by now (E5)', async () => {
    const { url, db } = freshSqliteFile(STAMPED)
    const table = await openSqliteTable(url, 't', AT)
    expect((await table.fence()).grain).toBe('1000000')
    const insert = db.prepare("INSERT INTO t (at) VALUES (datetime('2026-01-05', ? || ' minutes'))")
    for (let i = 0; i < 25; i++) insert.run(i * 5)
    const fence = await table.fence()
    expect(fence.grain).toBe('300000000')
    expect(fence.value?.value).toMatch(/[05]:00$/)
    await table.close()
  })

  test('notices that the clock is behind the one another process saw, for each table (E23)', async () => {
    const { url, db } = freshSqliteFile(STAMPED)
    db.exec(STAMPED.replaceAll(' t ', ' u ').replaceAll('t_at', 'u_at'))
    const context = testContext(() => {})
    const open = async () => connector.open({ url, context })
    const first = await openSqliteTable(url, 't', AT)
    const second = await openSqliteTable(url, 'u', AT)
    const source = await open()
    const requests = [first, second].map(({ shape, order }) => ({
      shape,
      order,
      policy: SQLITE_POLICY,
      outstandingDecrees: [],
    }))
    let t0 = ''
    for (const request of requests) t0 = (await source.fence(request)).t0
    for (const request of requests) expect((await source.fence(request)).clockStepUs).toBe('0')
    const ahead = { t0: String(BigInt(t0) + 60_000_000n), steppedUs: '0' }
    await context.memory.save('clock', JSON.stringify(ahead))
    const later = await open()
    for (const request of requests) {
      expect((await later.fence({ ...request, rehearsal: true })).clockStepUs).not.toBe('0')
      const step = BigInt((await later.fence(request)).clockStepUs)
      expect(step > 50_000_000n && step <= 60_000_000n).toBe(true)
      expect((await later.fence(request)).clockStepUs).toBe('0')
    }
    await first.close()
    await second.close()
  })

  test('does not stop the event loop while it waits for a writer', async () => {
    const { url, db } = freshSqliteFile(STAMPED)
    const table = await openSqliteTable(url, 't', AT)
    db.exec('BEGIN IMMEDIATE')
    let turns = 0
    const timer = setInterval(() => turns++, 5)
    await table.fence({ busyWaitMs: 400 })
    clearInterval(timer)
    expect(turns).toBeGreaterThan(5)
    db.exec('ROLLBACK')
    await table.close()
  })

  test('reaches its failpoints without a lock', async () => {
    const { path, url } = freshSqliteFile(STAMPED)
    const reached: string[] = []
    const other = new Database(path, { timeout: 0 })
    const table = await openSqliteTable(url, 't', AT, (name) => {
      reached.push(name)
      other.exec('BEGIN EXCLUSIVE; ROLLBACK')
    })
    await table.fence()
    expect(reached).toEqual(['fence.clock_read', 'fence.listed'])
    other.close()
    await table.close()
  })
})

test('a stamp of another process that waited for the lock is not below the fence', async () => {
  const { path, url } = freshSqliteFile(STAMPED)
  const table = await openSqliteTable(url, 't', AT)
  for (let i = 0; i < 3; i++) {
    const { value } = await table.fence()
    const script = `const D = require('better-sqlite3'); const d = new D(${JSON.stringify(path)});
      console.log(d.prepare('INSERT INTO t DEFAULT VALUES RETURNING at').pluck().get())`
    const stamp = execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }).trim()
    expect(stamp >= String(value?.value)).toBe(true)
  }
  await table.close()
})

function clock(db: Database.Database): string {
  return db.prepare("SELECT datetime('now')").pluck().get() as string
}
