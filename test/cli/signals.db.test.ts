import { existsSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openCatalog } from '../../src/catalog/sqlite/index.ts'
import { queryDuckdb } from './support/destinations.ts'
import { addOrders, createShop, type Workspace, workspace } from './support/program.ts'

const CONFIG = `name: shop
source: { url: sqlite:shop.db }
destination: { url: duckdb:shop.duckdb }
tables:
  orders: { position: updated_at, sliceRows: 20, leaseMs: 2000 }
`

function shop(orderCount: number): Workspace {
  const space = workspace()
  createShop(space.path('shop.db'), orderCount)
  writeFileSync(space.path('plimsoll.yaml'), CONFIG)
  return space
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const givenUpMs = performance.now() + 30_000
  while (!(await condition())) {
    if (performance.now() > givenUpMs) throw new Error('it never came to that')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('follow copies what comes, and ends cleanly on %s with %i', async (signal, code) => {
  const { start, run, path } = shop(30)
  const following = start(['follow', '--every', '200ms', '--json'])
  await following.seen('30 inserted')
  addOrders(path('shop.db'), 2)
  await following.seen('2 inserted')
  following.child.kill(signal)
  const finished = await following.finished
  expect(finished.code).toBe(code)
  expect(finished.json).toMatchObject({ ok: true, stopped: true, command: 'follow' })
  expect(finished.json.cycles).toBeGreaterThan(1)
  expect((await run('status', '--json')).json.pipelines[0].streams[0].running).toBe(null)
  expect(String(await queryDuckdb(path('shop.duckdb'), 'SELECT count(*) FROM main.orders'))).toBe('32')
})

test('a first load ends after the slice in hand with 130, and the next run goes on from there', async () => {
  const { start, run, path } = shop(2_000)
  const loading = start(['run', '--json'])
  await until(async () => {
    if (!existsSync(path('.plimsoll/catalog.sqlite'))) return false
    const catalog = await openCatalog(path('.plimsoll'))
    const ranges = await catalog.ranges('shop/main.orders')
    await catalog.close()
    return ranges.length > 2
  })
  loading.child.kill('SIGINT')
  const stopped = await loading.finished
  expect(stopped.code, stopped.stderr).toBe(130)
  const [part] = stopped.json.results
  expect(part).toMatchObject({ outcome: 'partial', error: null })
  expect((await run('status', '--json')).json.pipelines[0].streams[0].verdict).toBe('partial')
  const rest = await run('run', '--json')
  expect(rest.code, rest.stderr).toBe(0)
  expect(part.counts.inserted + rest.json.results[0].counts.inserted).toBe(2_000)
})

test('a run that was killed is made good by the next one, and said to be abandoned', async () => {
  const { runWith, run, path } = shop(30)
  const killed = await runWith({ PLIMSOLL_FAILPOINT: 'land.merged' }, 'run')
  expect(killed).toMatchObject({ code: null, signal: 'SIGKILL' })
  const next = await run('run')
  expect(next.code, next.stderr).toBe(0)
  expect(
    String(
      await queryDuckdb(path('shop.duckdb'), 'SELECT count(*), count(DISTINCT order_id) FROM main.orders'),
    ),
  ).toBe('30,30')
  const { json } = await run('runs', '--json')
  expect(json.runs.map((each: { record: { outcome: string } }) => each.record.outcome)).toEqual([
    'advanced',
    'abandoned',
  ])
})

test('a failpoint that throws fails the run, and the retry lands once', async () => {
  const { runWith, path } = shop(30)
  const { code, json, stderr } = await runWith({ PLIMSOLL_FAILPOINT_THROW: 'land.staged' }, 'run', '--json')
  expect(code, stderr).toBe(0)
  expect(json.results[0].counts.inserted).toBe(30)
  expect(String(await queryDuckdb(path('shop.duckdb'), 'SELECT count(*) FROM main.orders'))).toBe('30')
})

test('a second run finds the stream busy: 6', async () => {
  const { run, path } = shop(30)
  const catalog = await openCatalog(path('.plimsoll'))
  try {
    await catalog.acquireLease('shop/main.orders', 'the test', 60_000, 0)
    const { code, json } = await run('run', '--json')
    expect(code).toBe(6)
    expect(json.results[0].error).toMatchObject({
      code: 'STREAM_BUSY',
      hint: expect.stringContaining('Wait'),
    })
    const { stdout } = await run('status')
    expect(stdout).toContain('running')
  } finally {
    await catalog.close()
  }
})

test('status answers while another process holds the DuckDB file, and a second copy into it waits no longer than told', async () => {
  const { start, run } = shop(30)
  const following = start(['follow', '--every', '10m'])
  await following.seen('30 inserted')
  const status = await run('status', '--json')
  expect(status.code, status.stderr).toBe(0)
  const [pipeline] = status.json.pipelines
  expect(pipeline.streams[0]).toMatchObject({
    stream: 'main.orders',
    claim_from: 'catalog',
    verdict: 'complete',
  })
  expect(pipeline.remarks[0]).toContain('could not be read')
  const tables = ['--table', 'orders', '--set', 'retryTotal=1s']
  const other = await run(
    'copy',
    'sqlite:shop.db',
    'duckdb:shop.duckdb',
    ...tables,
    '--state',
    'other',
    '--json',
  )
  expect(other.code, other.stderr).toBe(6)
  expect(other.stderr).toContain(`pid ${following.child.pid}`)
  following.child.kill('SIGINT')
  expect((await following.finished).code).toBe(130)
})
