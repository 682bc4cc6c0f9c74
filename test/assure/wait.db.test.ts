import { rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { addOrders, change, createShop, type Workspace, workspace } from '../cli/support/program.ts'

const CONFIG = `name: shop
source: { url: sqlite:shop.db }
destination: { url: duckdb:shop.duckdb }
tables:
  orders: { position: { column: updated_at, stampedBy: database } }
`
const MINUTES_2_MS = 120_000

function shop(): Workspace {
  const space = workspace()
  createShop(space.path('shop.db'), 30)
  writeFileSync(space.path('plimsoll.yaml'), CONFIG)
  return space
}

/** `2026-03-01 10:00:00Z`, so many seconds from now. */
const inSeconds = (seconds: number): string =>
  new Date(Date.now() + seconds * 1000).toISOString().replace('T', ' ').replace(/\.\d+/, '')

test('A54: complete says yes or no with the cause, also when the catalog is lost', {
  timeout: MINUTES_2_MS,
}, async () => {
  const { run, path } = shop()
  const never = await run('complete', '--through', '2020-01-01')
  expect(never.code).toBe(3)
  expect(never.stdout).toContain('✗ not complete through 2020-01-01')
  expect(never.stdout).toContain('never claimed: nothing has landed yet')
  expect((await run('run')).code).toBe(0)
  const yes = await run('complete', 'orders', '--through', '2020-01-01', '--require', 'proven')
  expect(yes.code, yes.stdout).toBe(0)
  expect(yes.stderr).toContain('every row positioned before')
  const no = await run('complete', '--through', inSeconds(3600), '--table', 'orders', '--json')
  expect(no.code).toBe(3)
  expect(no.json).toMatchObject({
    ok: false,
    holds: false,
    held_by: { stream: 'main.orders', cause: expect.stringContaining('nobody: its last run began') },
    streams: [{ failures: [expect.stringMatching(/^complete through .* only$/)], claim_from: 'destination' }],
  })
  rmSync(path('.plimsoll'), { recursive: true })
  expect((await run('complete', '--through', '2020-01-01')).code).toBe(0)
  expect((await run('complete', '--through', inSeconds(3600))).code).toBe(3)
  expect((await run('complete', '--through', 'tomorrow')).code).toBe(2)
  expect((await run('complete', '--through', '2020-01-01', '--require', 'sure')).code).toBe(2)
})

test('A54: a source that fails is named, since when', { timeout: MINUTES_2_MS }, async () => {
  const { run, path } = shop()
  expect((await run('run')).code).toBe(0)
  change(path('shop.db'), (db) => db.exec('ALTER TABLE orders RENAME TO gone'))
  for (let i = 0; i < 2; i++) expect((await run('run')).code).not.toBe(0)
  const { stdout } = await run('complete', '--through', inSeconds(3600))
  expect(stdout).toMatch(/held by +main.orders: failing since \d{4}-.*Z \(2 runs\): TABLE_NOT_FOUND/)
})

test('A54: wait ends with 0 when a run has passed the moment, with 3 when the time is over', {
  timeout: MINUTES_2_MS,
}, async () => {
  const { run, start, path } = shop()
  expect((await run('run')).code).toBe(0)
  const through = inSeconds(2)
  const waiting = start(['wait', '--through', through, '--timeout', '60s', '--every', '200ms', '--json'])
  await waiting.seen('waiting for main.orders')
  const over = await run('wait', '--through', inSeconds(3600), '--timeout', '300ms', '--every', '100ms')
  expect(over.code).toBe(3)
  expect(over.stdout).toContain('✗ not complete')
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  addOrders(path('shop.db'), 1)
  expect((await run('run')).code).toBe(0)
  const done = await waiting.finished
  expect(done.code, done.stderr).toBe(0)
  expect(done.json).toMatchObject({ holds: true, stopped: false })
})

test('wait ends at once when it is told to stop', { timeout: MINUTES_2_MS }, async () => {
  const { run, start } = shop()
  expect((await run('run')).code).toBe(0)
  const waiting = start(['wait', '--through', inSeconds(3600)])
  await waiting.seen('waiting for main.orders')
  waiting.child.kill('SIGTERM')
  expect((await waiting.finished).code).toBe(143)
})
