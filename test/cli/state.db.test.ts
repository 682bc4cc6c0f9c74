import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { queryDuckdb } from './support/destinations.ts'
import { change, createShop, type Workspace, workspace } from './support/program.ts'

const CONFIG = `name: shop
source: { url: sqlite:shop.db }
destination: { url: duckdb:shop.duckdb }
tables:
  orders: { position: { column: updated_at, stampedBy: database } }
`

async function afterARun(): Promise<Workspace> {
  const space = workspace()
  createShop(space.path('shop.db'), 30)
  writeFileSync(space.path('plimsoll.yaml'), CONFIG)
  const { code, stderr } = await space.run('run')
  expect(code, stderr).toBe(0)
  return space
}

test('status is the home screen, and does not need the source', async () => {
  const { run, path } = await afterARun()
  rmSync(path('shop.db'))
  const { code, stdout, stderr } = await run('status')
  expect(code, stderr).toBe(0)
  expect(stdout).toMatch(/^shop: 1 table complete below \d{4}-/)
  expect(stdout).toMatch(
    /main\.orders +complete +\d{4}-[^ ]+ [^ ]+ +\d+ (m?s|min).* 5 min +0 +proven +advanced/,
  )
  const { json } = await run('status', '--json')
  expect(json.pipelines[0].streams[0]).toMatchObject({
    stream: 'main.orders',
    verdict: 'complete',
    proof: 'proven',
    claim_from: 'destination',
    watermark_lag_us: expect.stringMatching(/^\d+$/),
    event_time_lag_us: expect.stringMatching(/^\d+$/),
    late_rows: 0,
    last_run: { outcome: 'advanced', error: null },
  })
  rmSync(path('shop.duckdb'))
  const without = await run('status')
  expect(without.code).toBe(0)
  expect(without.stdout).toContain('does not exist yet')
})

test('a failed run shows in status with what to do; nothing run yet is said', async () => {
  const { run, path } = workspace()
  writeFileSync(path('plimsoll.yaml'), CONFIG)
  expect((await run('status')).stdout).toContain('nothing has run yet')
  createShop(path('shop.db'), 3)
  expect((await run('run')).code).toBe(0)
  writeFileSync(path('plimsoll.yaml'), CONFIG.replace('updated_at', 'total'))
  expect((await run('run')).code).not.toBe(0)
  const { stdout } = await run('status')
  expect(stdout).toContain('1 of 1 table needs a look: main.orders failed')
  expect(stdout).toContain('what to do')
})

test('a run that found the fence where it stood is no reason to look', async () => {
  const { run, path } = workspace()
  change(path('shop.db'), (db) =>
    db.exec(
      'CREATE TABLE log (id INTEGER PRIMARY KEY AUTOINCREMENT, x TEXT); INSERT INTO log (x) VALUES (1)',
    ),
  )
  const copy = ['copy', 'sqlite:shop.db', 'duckdb:shop.duckdb', '--table', 'log', '--append-only']
  expect((await run(...copy)).code).toBe(0)
  const again = await run(...copy)
  expect(again.stderr).toContain('held: the fence has not passed the watermark yet')
  expect(again.stderr).not.toContain('names who holds it')
  const { stdout } = await run('status')
  expect(stdout).toMatch(/^copy-\w+: 1 table complete below 2\n/)
  expect(stdout).toMatch(/main\.log +complete +2 .* held \d{4}-[\s\S]*complete +the fence has not passed/)
})

test('runs and trace show the record, readable and complete', async () => {
  const { run } = await afterARun()
  const runs = await run('runs', '--json')
  const [latest] = runs.json.runs
  expect((await run('runs')).stdout).toContain(latest.run_id)
  for (const name of [latest.run_id, latest.run_id.slice(0, 19), 'orders']) {
    const { code, stdout } = await run('trace', name)
    expect(code).toBe(0)
    for (const key of Object.keys(latest.record)) expect(stdout).toContain(`\n${key}:`)
    expect(stdout).toContain(latest.hash)
  }
  const trace = await run('trace', latest.run_id, '--json')
  expect(trace.json.record).toEqual(latest.record)
  expect((await run('trace', 'nothing')).code).toBe(2)
})

test('a backfill brings back what is gone at the destination, and the watermark stands', async () => {
  const { run, path } = await afterARun()
  const [before] = (await run('status', '--json')).json.pipelines[0].streams
  await queryDuckdb(path('shop.duckdb'), 'DELETE FROM main.orders WHERE order_id IN (3, 4, 5)')
  const { code, json, stderr } = await run('backfill', 'orders', '--from', '2020-01-01', '--json')
  expect(code, stderr).toBe(0)
  expect(json.results[0].counts).toMatchObject({ rows_read: 30, inserted: 3, unchanged: 27 })
  expect(json.results[0].watermark_after.value).toBe(before.watermark.value)
  const beyond = await run('backfill', 'orders', '--from', '2020-01-01', '--to', '2999-01-01')
  expect(beyond.stderr).toMatch(/range \[2020-01-01.*; a backfill ends at the watermark/)
  expect(beyond.stderr).not.toContain('next ')
  expect((await run('backfill', 'orders', '--from', 'yesterday')).code).toBe(2)
  expect((await run('backfill', 'order')).stderr).toContain('Did you mean')
})

test('a rewind asks, wants a reason, is recorded, and the next run reads again', async () => {
  const { run } = await afterARun()
  expect((await run('state', 'rewind', 'orders', '--to', 'start')).code).toBe(2)
  const unasked = await run('state', 'rewind', 'orders', '--to', 'start', '--reason', 'test')
  expect(unasked.code).toBe(2)
  expect(unasked.stderr).toContain('--yes')
  const { code, json, stderr } = await run(
    'state',
    'rewind',
    'orders',
    '--to',
    'start',
    '--reason',
    'a test of it',
    '--yes',
    '--json',
  )
  expect(code, stderr).toBe(0)
  expect(json).toMatchObject({ ok: true, after: null, generation: 2 })
  const trace = await run('trace', 'orders', '--json')
  expect(trace.json.record).toMatchObject({ kind: 'rewind', reason: 'a test of it' })
  expect((await run('trace', 'orders')).stdout).toMatch(/began +\d{4}-[\s\S]*why +a test of it, said /)
  expect((await run('run', '--json')).json.results[0]).toMatchObject({
    generation: 2,
    counts: { rows_read: 30, unchanged: 30 },
  })
  const above = await run(
    'state',
    'rewind',
    'orders',
    '--to',
    '2999-01-01 00:00:00.000',
    '--reason',
    'x',
    '--yes',
  )
  expect(above.code).toBe(2)
})

test('export and import carry the catalog over; a lost one costs nothing', async () => {
  const { run, path } = await afterARun()
  const exported = await run('state', 'export', '--to', 'state.json')
  expect(exported.code, exported.stderr).toBe(0)
  expect(exported.stderr).toContain('wrote state.json: what is remembered of 1 table')
  const text = readFileSync(path('state.json'), 'utf8')
  expect((await run('state', 'export')).stdout).toBe(text)
  rmSync(path('.plimsoll'), { recursive: true })
  const imported = await run('state', 'import', 'state.json', '--json')
  expect(imported.code, imported.stderr).toBe(0)
  expect(imported.json.streams).toEqual(['shop/main.orders'])
  expect((await run('state', 'export')).stdout).toBe(text)
  expect((await run('state', 'show')).stdout).toContain('first_load')
  rmSync(path('.plimsoll'), { recursive: true })
  expect((await run('run', '--json')).json.results[0].counts).toMatchObject({ inserted: 0, updated: 0 })
  expect((await run('state', 'import', 'gone.json')).code).toBe(2)
})
