import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { queryDuckdb } from './support/destinations.ts'
import { addOrders, change, createShop, workspace } from './support/program.ts'

const COPY = ['copy', 'sqlite:shop.db', 'duckdb:shop.duckdb', '--table', 'orders']

describe('plimsoll copy', () => {
  test('copies a table without a configuration, and only what changed the second time', async () => {
    const { run, path } = workspace()
    createShop(path('shop.db'), 500)
    const first = await run(...COPY)
    expect(first.code, first.stderr).toBe(0)
    expect(first.stdout).toBe('')
    expect(first.stderr).toContain('500 rows read: 500 inserted, 0 updated, 0 unchanged')
    expect(first.stderr).toContain('chosen    key order_id: primary key')
    expect(first.stderr).toContain('chosen    position updated_at: default strftime')
    expect(first.stderr).toMatch(
      /complete {2}below \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}, .*; the first claim/,
    )
    expect(first.stderr).toContain('next      the same command reads only what is new')

    addOrders(path('shop.db'), 3)
    change(path('shop.db'), (db) =>
      db.exec(
        "UPDATE orders SET total = '0', updated_at = strftime('%Y-%m-%d %H:%M:%f', 'now') WHERE order_id = 7",
      ),
    )
    const second = await run(...COPY, '--json')
    expect(second.code, second.stderr).toBe(0)
    const [result] = second.json.results
    expect(result).toMatchObject({ stream: 'main.orders', outcome: 'advanced', error: null, generation: 1 })
    expect(result.counts).toMatchObject({ inserted: 3, updated: 1, late: 0 })
    expect(result.watermark_before.text < result.watermark_after.text).toBe(true)
    expect(result.watermark_after).toEqual({
      kind: 'text',
      value: result.watermark_after.text,
      text: result.watermark_after.text,
    })
    const rows = await queryDuckdb(
      path('shop.duckdb'),
      'SELECT count(*), count(DISTINCT order_id), sum(total::DECIMAL(9,2)) FROM main.orders',
    )
    expect(String(rows[0])).toBe('503,503,6174.60')
  })

  test('takes another name, a declared position and any setting; refuses one name for two tables', async () => {
    const { run, path } = workspace()
    createShop(path('shop.db'), 10)
    const named = await run(
      ...COPY,
      '--as',
      'sales.o',
      '--position',
      'updated_at',
      '--stamped-by',
      'database',
      '--overlap',
      '1m',
      '--set',
      'sliceRows=4',
      '--json',
    )
    expect(named.code, named.stderr).toBe(0)
    expect(named.json.results[0]).toMatchObject({
      stream: 'sales.o',
      proof: 'proven',
      overlap: { amount: '60000000' },
    })
    expect(String(await queryDuckdb(path('shop.duckdb'), 'SELECT count(*) FROM sales.o'))).toBe('10')
    const two = await run(...COPY, '--table', 'floats', '--as', 'a.b')
    expect(two).toMatchObject({ code: 2, stdout: '' })
    expect(two.stderr).toContain('--as names one destination table')
  })

  test('without an index nobody says that there is nothing, and the first load names what stops the next', async () => {
    const { run, path } = workspace()
    change(path('shop.db'), (db) =>
      db.exec(`CREATE TABLE slow (id INTEGER PRIMARY KEY, at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')));
        INSERT INTO slow (at) VALUES ('2100-01-01 00:00:00.000'), ('2100-01-02 00:00:00.000')`),
    )
    const copy = ['copy', 'sqlite:shop.db', 'duckdb:shop.duckdb', '--table', 'slow']
    const how = '--position at --encoding iso --zone UTC --grain 1ms --set fullScanMaxRows=1'.split(' ')
    const first = await run(...copy, ...how)
    expect(first.code, first.stderr).toBe(0)
    expect(first.stderr).toContain('nothing new below the fence; above it nobody looked')
    expect(first.stderr).toMatch(/next +the next run stops at this: .*CREATE INDEX "slow_at"/)
    const second = await run(...copy, ...how)
    expect(second.stderr).toContain('PLAN_TOO_EXPENSIVE')
  })

  test('keeps quiet when told to, and still complains', async () => {
    const { run, path } = workspace()
    createShop(path('shop.db'), 1)
    expect(await run(...COPY, '--quiet')).toMatchObject({ code: 0, stdout: '', stderr: '' })
    const failed = await run('copy', 'sqlite:shop.db', 'duckdb:shop.duckdb', '--table', 'ordrs', '--quiet')
    expect(failed.code).toBe(2)
    expect(failed.stderr).toContain('TABLE_NOT_FOUND')
  })

  test('a table that fails does not stop the others: 7', async () => {
    const { run, path } = workspace()
    createShop(path('shop.db'), 5)
    const { code, json } = await run(...COPY, '--table', 'nokey', '--json')
    expect(code).toBe(7)
    expect(json).toMatchObject({ ok: false, command: 'copy' })
    expect(json.results.map((each: { error: { code: string } | null }) => each.error?.code ?? null)).toEqual([
      null,
      'KEY_MISSING',
    ])
    const status = await run('status', '--json')
    expect(status.json.pipelines[0].streams.map((each: { stream: string }) => each.stream)).toEqual([
      'main.orders',
    ])
  })

  test('the destination file is not made when the source is not there', async () => {
    const { run, path } = workspace()
    const { code, stderr } = await run(...COPY)
    expect(code).toBe(4)
    expect(stderr).toContain('SOURCE_UNAVAILABLE')
    expect(existsSync(path('shop.duckdb'))).toBe(false)
    expect(existsSync(path('shop.db'))).toBe(false)
  })
})
