import { createHash } from 'node:crypto'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runPipeline } from '../../src/extract/index.ts'
import type { CanonicalType, ComparisonPlan } from '../../src/kernel/fingerprint/comparison.ts'
import type { PositionOrder } from '../../src/kernel/order.ts'
import type { Look } from '../../src/sources/look.ts'
import { connector } from '../../src/sources/sqlite/index.ts'
import { testContext } from '../../src/testing/destination-setup.ts'
import { openEngine, streamSettings } from '../support/engine.ts'
import { postgresServers } from '../support/servers.ts'
import { freshSqliteFile } from '../support/sqlite-files.ts'
import { SQLITE_VALUES } from '../types/sqlite-values.ts'
import { freshSession, landed, tempFolder, withText } from '../types/stage.ts'
import { expectEqual, lookAtBoth, readable, textsOf } from './both-sides.ts'
import { CHECK_BUCKETS, CHECK_COLUMNS, CHECK_KEYS, CHECK_ROWS, CHECK_SUM } from './check-values.ts'
import { planOf } from './engines.ts'

const ALL = { rows: 'all' } as const
const ORDER: PositionOrder = {
  column: 'ts',
  kind: 'text',
  encoding: 'iso',
  template: 'YYYY-MM-DD HH:MM:SS',
  tick: 1n,
  grain: 1n,
  stampedBy: 'unknown',
}

/** A look at a table with canonical types of the test's own. */
async function lookAt(
  url: string,
  name: string,
  columns: readonly { readonly name: string; readonly canonical: CanonicalType }[],
  more: Partial<ComparisonPlan>,
): Promise<Look> {
  const source = await connector.open({ url, context: testContext(() => {}) })
  const look = await source.openLook({
    shape: await source.describe({ schema: 'main', name }),
    plan: planOf(columns, more),
    order: ORDER,
    asText: [],
    after: undefined,
    replicaWaitMs: 1_000,
    queryMaxMs: 60_000,
    lockTimeoutMs: 1_000,
  })
  onTestFinished(async () => {
    await look.close()
    await source.close()
  })
  return look
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

describe('SQLite', () => {
  test('check values: texts, words, buckets and sums (F35)', async () => {
    const { url, db } = freshSqliteFile(
      'CREATE TABLE checks (id INTEGER PRIMARY KEY, t TEXT, c TEXT, d TEXT, b BOOLEAN, ts TEXT, dt TEXT, bl BLOB, u TEXT)',
    )
    const insert = db.prepare('INSERT INTO checks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
    for (const { wire } of CHECK_ROWS) {
      const [id, t, c, d, b, ts, dt, bl, u] = wire
      const bytes = bl == null ? null : Buffer.from(bl.slice(2), 'hex')
      insert.run(
        BigInt(id!),
        t,
        c,
        d,
        b == null ? null : b === 't' ? 1n : 0n,
        ts,
        dt,
        bytes,
        u?.toUpperCase() ?? null,
      )
    }
    const look = await lookAt(url, 'checks', CHECK_COLUMNS, { position: 'ts' })
    const found = await look.find(
      CHECK_ROWS.map(({ wire }) => wire[0]!),
      'row',
    )
    expect(found).toHaveLength(16)
    for (const { wire, text, word, bucket } of CHECK_ROWS) {
      const row = found.find(({ keyText }) => keyText === wire[0])!
      expect([row.texts.join(';'), row.word, row.keyDigest.slice(0, 4)]).toEqual([text, word, bucket])
    }
    const sums = await look.sums(ALL, 'row', 1)
    expect(Object.fromEntries([...sums].map(([name, sum]) => [name, [sum.rowCount, sum.wordSum]]))).toEqual(
      CHECK_BUCKETS,
    )
    expect([...sums.values()].reduce((all, { wordSum }) => all + wordSum, 0n)).toBe(CHECK_SUM)
    expect((await look.find(['5'], 'position'))[0]?.word).toBe(254758180848473209n)
  })

  test('keys of several columns (F37)', async () => {
    const { url, db } = freshSqliteFile('CREATE TABLE keyed (a TEXT, b INTEGER, ts TEXT)')
    const insert = db.prepare('INSERT INTO keyed (a, b) VALUES (?, ?)')
    for (const { wire } of CHECK_KEYS) insert.run(wire[0], BigInt(wire[1]!))
    const columns = [
      { name: 'a', canonical: { name: 'text' } },
      { name: 'b', canonical: { name: 'integer' } },
      { name: 'ts', canonical: { name: 'text' } },
    ] as const
    const look = await lookAt(url, 'keyed', columns, { keyCount: 2, position: 'ts' })
    for (const { text, digest } of CHECK_KEYS) {
      const [row] = await look.find([text], 'row')
      expect([row?.keyText, row?.keyDigest.slice(0, 4)]).toEqual([text, digest])
    }
  })

  test('a value of another class than its column says equals nothing (F18)', async () => {
    const { url, db } = freshSqliteFile('CREATE TABLE classes (id INTEGER PRIMARY KEY, v, ts TEXT)')
    db.exec(
      `INSERT INTO classes (id, v) VALUES (1, 5), (2, '5'), (3, 5.0), (4, x'35'), (5, NULL), (6, 1e300)`,
    )
    const columns = [
      { name: 'id', canonical: { name: 'integer' } },
      { name: 'v', canonical: { name: 'integer' } },
      { name: 'ts', canonical: { name: 'text' } },
    ] as const
    const look = await lookAt(url, 'classes', columns, { position: 'ts' })
    const found = await look.find(['1', '2', '3', '4', '5', '6'], 'row')
    const texts = [...found].sort((a, b) => Number(a.keyText) - Number(b.keyText)).map((row) => row.texts[1])
    // As SQLite itself casts the values.
    const cast = (id: number): string =>
      String(db.prepare('SELECT lower(hex(CAST(v AS BLOB))) FROM classes WHERE id = ?').pluck().get(id))
    expect(cast(3)).toBe('352e30')
    expect(texts).toEqual(['5', 'ztext:35', 'zreal:352e30', 'zblob:35', 'N', `zreal:${cast(6)}`])
  })

  test('texts with a NUL are compared whole (F17)', async () => {
    const { url, db } = freshSqliteFile('CREATE TABLE nuls (id INTEGER PRIMARY KEY, v TEXT, ts TEXT)')
    db.prepare('INSERT INTO nuls (id, v) VALUES (1, ?), (2, ?)').run('a\0b', 'a')
    const columns = [
      { name: 'id', canonical: { name: 'integer' } },
      { name: 'v', canonical: { name: 'text' } },
      { name: 'ts', canonical: { name: 'text' } },
    ] as const
    const look = await lookAt(url, 'nuls', columns, { position: 'ts' })
    const rows = await look.find(['1', '2'], 'row')
    expect(rows.map(({ texts }) => texts[1]).sort()).toEqual(['v1:a', 'v3:a\0b'])
    expect(rows.map(({ word }) => word)).toContain(BigInt(`0x${md5('1;v3:a\0b;N').slice(0, 15)}`))
  })
})

describe.each(
  [...postgresServers(), 'duckdb' as const].map((to) => ({
    to,
    name: to === 'duckdb' ? to : `PostgreSQL ${to.major}`,
  })),
)('values of SQLite in $name', ({ to, name }) => {
  test('every type with its extremes is equal on both sides and in the program (F7, F18, F21)', async () => {
    const folder = await tempFolder()
    const file = join(folder, 'source.db')
    const db = new Database(file)
    const cases = SQLITE_VALUES.filter(({ refused, text }) => !refused || text !== undefined)
    for (const [i, { type, sql }] of cases.entries()) {
      db.exec(`CREATE TABLE t${i} (id INTEGER PRIMARY KEY, v ${type}, at TEXT NOT NULL DEFAULT '2026-01-01 00:00:00');
        CREATE INDEX i${i} ON t${i} (at); INSERT INTO t${i} (id, v) VALUES (1, NULL), (4711, ${sql})`)
    }
    db.close()
    const server = to === 'duckdb' ? undefined : await freshSession(to, `fingerprint sqlite ${name}`)
    const { engine, close } = await openEngine({
      sourceUrl: `sqlite://${file}`,
      destinationUrl: server?.url ?? `duckdb://${join(folder, 'copy.duckdb')}`,
      stateDir: join(folder, 'state'),
    })
    try {
      const position = { column: 'at', stampedBy: 'database', encoding: 'iso' } as const
      const streams = cases.map(({ refused }, i) => {
        const target = { schema: server ? 'public' : 'main', name: `t${i}` }
        const settings = streamSettings(`main.t${i}`, { position, target })
        return refused ? withText(settings, ['v']) : settings
      })
      for (const result of (await runPipeline(engine, streams, 2)).results) landed(result)
      for (const settings of streams) {
        await lookAtBoth(engine, settings, async (sides) => {
          await expectEqual(sides)
          const here = readable(sides.plan, await textsOf(sides.source, 'row'))
          expect(readable(sides.plan, await sides.clientTexts())).toEqual(here)
        })
      }
    } finally {
      await close()
    }
  })
})
