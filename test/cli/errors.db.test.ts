import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { freshDatabase, postgresServers } from '../support/servers.ts'
import { queryDuckdb } from './support/destinations.ts'
import { change, createShop, workspace } from './support/program.ts'

const copy = (table: string, ...more: string[]) => [
  'copy',
  'sqlite:shop.db',
  'duckdb:shop.duckdb',
  '--table',
  table,
  ...more,
]

describe('each fault is a clear error with its exit code, and nothing is half written:', () => {
  test.each<[string, string[], number, string, string]>([
    ['an unknown table', copy('ordrs'), 2, 'TABLE_NOT_FOUND', 'orders'],
    ['a missing key', copy('nokey'), 2, 'KEY_MISSING', '--key'],
    ['a key that is no column', copy('orders', '--key', 'id'), 2, 'KEY_MISSING', 'order_id'],
    [
      'a column that cannot order',
      copy('floats', '--position', 'x'),
      2,
      'POSITION_REFUSED',
      'x cannot order the table',
    ],
    ['no column that can', copy('floats'), 2, 'POSITION_MISSING', '--position'],
    [
      'a column where another could',
      copy('orders', '--position', 'total'),
      2,
      'POSITION_REFUSED',
      'These could: updated_at.',
    ],
    ['append', copy('orders', '--mode', 'append'), 2, 'APPEND_WITH_OVERLAP', 'upsert'],
    [
      'a mistyped setting',
      copy('orders', '--set', 'sliceRow=5'),
      2,
      'CONFIG_INVALID',
      'Did you mean sliceRows?',
    ],
    ['no table', ['copy', 'sqlite:shop.db', 'duckdb:shop.duckdb'], 2, 'USAGE', '--table'],
    ['a mistyped scheme', ['copy', 'sqlit:shop.db', 'duckdb:x', '--table', 'orders'], 2, 'USAGE', 'sqlite:'],
    ['no URL', ['copy', 'shop.db', 'duckdb:x', '--table', 'orders'], 2, 'CONFIG_INVALID', 'sqlite:file.db'],
    ['an unknown command', ['cpoy'], 2, 'USAGE', 'Did you mean copy?'],
    ['an unknown option', ['copy', 'a:b', 'c:d', '--tabel', 'x'], 2, 'USAGE', 'Did you mean --table?'],
    ['a missing argument', ['copy', 'a:b'], 2, 'USAGE', 'destination'],
    ['a missing option', ['state', 'rewind', 'x'], 2, 'USAGE', 'plimsoll state rewind --help'],
    ['a group without its command', ['state'], 2, 'USAGE', 'There are: show, rewind, skip, export, import'],
    ['help about nothing', ['help', 'cpoy'], 2, 'USAGE', "unknown command 'cpoy'"],
    [
      'a missing source',
      ['copy', 'sqlite:gone.db', 'duckdb:shop.duckdb', '--table', 'orders'],
      4,
      'SOURCE_UNAVAILABLE',
      'gone.db',
    ],
  ])('%s', async (_, args, code, error, words) => {
    const { run, path } = workspace()
    createShop(path('shop.db'), 2)
    const plain = await run(...args)
    expect(plain.code, plain.stderr).toBe(code)
    expect(plain.stderr).toContain(error)
    expect(plain.stderr).toContain(words)
    expect(plain.stdout).toBe('')
    const { json, code: again } = await run(...args, '--json')
    expect(again).toBe(code)
    expect(json.ok).toBe(false)
    expect((json.error ?? json.results[0].error).code).toBe(error)
    if (existsSync(path('shop.duckdb'))) {
      const tables = await queryDuckdb(
        path('shop.duckdb'),
        "SELECT count(*) FROM duckdb_tables() WHERE table_name IN ('orders', 'nokey', 'floats')",
      )
      expect(String(tables)).toBe('0')
    }
  })

  test('a column that could order, of which nothing shows that it does, is named; init without a table says what to do', async () => {
    const { run, path } = workspace()
    change(path('shop.db'), (db) => db.exec('CREATE TABLE plain (id INTEGER PRIMARY KEY, t TEXT)'))
    const { stderr } = await run(...copy('plain'))
    expect(stderr).toContain('POSITION_MISSING')
    expect(stderr).toMatch(/Name one with --position\. (These could: t\.|.*t: )/)
    const init = await run('init', 'sqlite:shop.db', 'duckdb:shop.duckdb')
    expect(init.stderr).toContain('write at least one table under tables:')
  })

  test('an unknown failpoint', async () => {
    const { runWith, path } = workspace()
    createShop(path('shop.db'), 2)
    const { code, stderr } = await runWith({ PLIMSOLL_FAILPOINT: 'land.merge' }, ...copy('orders'))
    expect(code).toBe(2)
    expect(stderr).toContain('no failpoint land.merge')
  })

  test('a destination table with foreign contents', async () => {
    const { run, path } = workspace()
    createShop(path('shop.db'), 2)
    await queryDuckdb(path('shop.duckdb'), 'CREATE TABLE orders AS SELECT 99 AS order_id')
    const { code, json } = await run(...copy('orders'), '--json')
    expect(code).toBe(5)
    expect(json.results[0].error).toMatchObject({ code: 'DESTINATION_NOT_OURS', kind: 'destination' })
    expect(json.results[0].error.hint).toContain('--as')
    expect(String(await queryDuckdb(path('shop.duckdb'), 'SELECT * FROM orders'))).toBe('99')
  })

  test('a destination that is no database', async () => {
    const { run, path } = workspace()
    createShop(path('shop.db'), 2)
    writeFileSync(
      path('shop.duckdb'),
      'these are not the bytes of a database, but long enough to be looked at',
    )
    const { code, stderr } = await run(...copy('orders'))
    expect(code, stderr).toBe(5)
  })

  test('a catalog that cannot be made', async () => {
    const { run, path } = workspace()
    createShop(path('shop.db'), 2)
    writeFileSync(path('file'), '')
    mkdirSync(path('state'))
    const { code, stderr } = await run(...copy('orders', '--state', 'file/state'))
    expect(code).toBe(2)
    expect(stderr).toContain('CATALOG_UNAVAILABLE')
  })
})

describe.each(postgresServers().slice(0, 1))('PostgreSQL $major as a source:', (server) => {
  async function source(name: string): Promise<URL> {
    const url = new URL(await freshDatabase(server, name))
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    await client.query(`CREATE TABLE orders (order_id bigint PRIMARY KEY, updated_at timestamptz NOT NULL DEFAULT now());
      CREATE INDEX ON orders (updated_at); INSERT INTO orders SELECT g, now() - g * interval '61.013 seconds' FROM generate_series(1, 50) g`)
    await client.end()
    return url
  }

  test('it is copied, and no password is printed', async () => {
    const { run, path } = workspace()
    const url = await source('cli copy')
    const { code, stderr, json } = await run(
      'copy',
      url.href,
      'duckdb:x.duckdb',
      '--table',
      'orders',
      '--set',
      'guardMs=5',
      '--json',
    )
    expect(code, stderr).toBe(0)
    expect(json.results[0]).toMatchObject({
      stream: 'public.orders',
      counts: { rows_read: expect.any(Number) },
    })
    expect(json.results[0].watermark_after.kind).toBe('timestamptz')
    expect(String(await queryDuckdb(path('x.duckdb'), 'SELECT count(*) FROM public.orders'))).toBe('50')
  })

  test('a wrong password: 4', async () => {
    const { run } = workspace()
    const url = await source('cli password')
    url.username = 'nobody_here'
    url.password = 'wr0ng-secret'
    const { code, stderr } = await run('copy', url.href, 'duckdb:x.duckdb', '--table', 'orders')
    expect(code, stderr).toBe(4)
    expect(stderr).not.toContain('wr0ng-secret')
  })

  test('an unreachable host: 4', async () => {
    const { run } = workspace()
    const { code, stderr } = await run(
      'copy',
      'postgres://u:s3cret-word@127.0.0.1:1/x',
      'duckdb:x.duckdb',
      '--table',
      'orders',
      '--set',
      'retryTotal=1s',
      '--set',
      'retries=1',
    )
    expect(code, stderr).toBe(4)
    expect(stderr).toContain('SOURCE_UNAVAILABLE')
    expect(stderr).not.toContain('s3cret-word')
  })
})
