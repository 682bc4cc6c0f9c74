import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../scripts/servers/postgres.ts'
import { median, plimsoll, ROOT, report, runProgram } from './run-program.ts'
import { execute, makeIdleTables, makeOrders, scalar, touchRows } from './shop.ts'

const ROWS = Number(process.env.ROWS ?? 5_000_000)
const SMALL = Math.floor(ROWS / 10)
const REPEATS = Number(process.env.REPEATS ?? 3)
const IDLE_TABLES = Number(process.env.IDLE_TABLES ?? 1_000)

const server = await startPostgres({
  which: 'system',
  settings: { shared_buffers: '1GB', max_wal_size: '8GB' },
})
const folder = await mkdtemp(join(tmpdir(), 'plimsoll-bench-'))
try {
  const shop = await database('shop')
  await makeOrders(shop, 'orders', ROWS)
  report('versions', { node: process.version, postgres: server.version, rows: ROWS, repeats: REPEATS })
  const raw = await rawRead(shop)
  await firstLoad(shop, raw)
  await betweenServers(shop)
  await increments(shop)
  await idle()
} finally {
  await server.dispose()
  await rm(folder, { recursive: true, force: true })
}

async function database(name: string): Promise<string> {
  await execute(server.url, [`create database ${name}`])
  const url = new URL(server.url)
  url.pathname = `/${name}`
  return url.href
}

/** The yardstick: the same rows by COPY to nothing in one Node process. */
async function rawRead(shop: string): Promise<number> {
  const times: number[] = []
  for (let i = 0; i <= REPEATS; i++) {
    const { output } = await runProgram(
      process.execPath,
      ['scripts/run-ts.mjs', 'bench/raw-copy.ts', shop, 'orders'],
      ROOT,
    )
    if (i > 0) times.push((JSON.parse(output) as { ms: number }).ms)
  }
  return median(times)
}

async function firstLoad(shop: string, rawMs: number): Promise<void> {
  const times: number[] = []
  let peakBytes = 0
  for (let i = 0; i < REPEATS; i++) {
    const state = join(folder, `first-${i}`)
    const run = await plimsoll(
      [
        'copy',
        shop,
        `duckdb://${state}.duckdb`,
        '--table',
        'public.orders',
        '--position',
        'updated_at',
        '--state',
        state,
      ],
      folder,
    )
    times.push(run.wallMs)
    peakBytes = Math.max(peakBytes, run.peakBytes)
  }
  const ms = median(times)
  report('first load, PostgreSQL to DuckDB', {
    raw_copy_ms: rawMs,
    plimsoll_ms: ms,
    ratio: ms / rawMs,
    target: 1 / 0.65,
    peak_mb: peakBytes / 1e6,
  })
}

async function betweenServers(shop: string): Promise<void> {
  const [ours, theirs]: [number[], number[]] = [[], []]
  for (let i = 0; i < REPEATS; i++) {
    const piped = await database(`piped_${i}`)
    const copied = await database(`copied_${i}`)
    await runProgram('sh', [
      '-c',
      `pg_dump --schema-only --section=pre-data -t public.orders '${shop}' | psql -q '${piped}' && psql -q -c 'alter table orders add primary key (id)' '${piped}'`,
    ])
    const pipe = `psql -c '\\copy (select * from orders) to stdout' '${shop}' | psql -c '\\copy orders from stdin' '${piped}'`
    theirs.push((await runProgram('sh', ['-c', pipe])).wallMs)
    const run = await plimsoll(
      [
        'copy',
        shop,
        copied,
        '--table',
        'public.orders',
        '--position',
        'updated_at',
        '--state',
        join(folder, `pg-${i}`),
      ],
      folder,
    )
    ours.push(run.wallMs)
    await execute(server.url, [`drop database piped_${i}`, `drop database copied_${i}`])
  }
  report('first load, PostgreSQL to PostgreSQL', {
    psql_pipe_ms: median(theirs),
    plimsoll_ms: median(ours),
    ratio: median(ours) / median(theirs),
    target: 1.2,
  })
}

/** 1,000 changed rows into a large and a ten times smaller table: the cost must follow the change. */
async function increments(shop: string): Promise<void> {
  await makeOrders(shop, 'orders_small', SMALL)
  const figures = { large: { ms: [] as number[], bytes: 0 }, small: { ms: [] as number[], bytes: 0 } }
  for (const [size, table, rows] of [
    ['large', 'orders', ROWS],
    ['small', 'orders_small', SMALL],
  ] as const) {
    const state = join(folder, `increment-${size}`)
    const args = [
      'copy',
      shop,
      `duckdb://${state}.duckdb`,
      '--table',
      `public.${table}`,
      '--position',
      'updated_at',
      '--state',
      state,
    ]
    await plimsoll(args, folder)
    for (let i = 0; i < REPEATS; i++) {
      await touchRows(shop, table, rows, 1_000)
      await execute(shop, ['select pg_sleep(1.5)'])
      const run = await plimsoll(args, folder)
      figures[size].ms.push(run.wallMs)
      figures[size].bytes = bytesRead(run.output)
    }
  }
  const [large, small] = [median(figures.large.ms), median(figures.small.ms)]
  report('increment of 1000 rows', {
    large_ms: large,
    small_ms: small,
    ratio: large / small,
    target: 1.5,
    large_bytes: figures.large.bytes,
    small_bytes: figures.small.bytes,
  })
}

function bytesRead(output: string): number {
  const found = /"bytes_read":\s*(\d+)/.exec(output)
  return found ? Number(found[1]) : 0
}

async function idle(): Promise<void> {
  const url = await database('idle')
  await makeIdleTables(url, IDLE_TABLES)
  const count = Number(await scalar(url, `select count(*) from pg_tables where schemaname = 'public'`))
  await plimsoll(
    ['init', url, `duckdb://${join(folder, 'idle.duckdb')}`, '--output', join(folder, 'plimsoll.yaml')],
    folder,
  )
  await plimsoll(['run', '--concurrency', '8'], folder)
  const times: number[] = []
  for (let i = 0; i < REPEATS; i++) times.push((await plimsoll(['run', '--concurrency', '8'], folder)).wallMs)
  report('idle run', { tables: count, ms: median(times), target_ms: 30_000 })
}
