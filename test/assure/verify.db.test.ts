import { readFileSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { addOrders, createShop, type Workspace, workspace } from '../cli/support/program.ts'

const CONFIG = `name: shop
source: { url: sqlite:shop.db }
destination: { url: duckdb:shop.duckdb }
tables:
  orders: { position: { column: updated_at, stampedBy: database } }
`
const RUNS = 5
const MINUTES_2_MS = 120_000

async function afterRuns(): Promise<Workspace> {
  const space = workspace()
  createShop(space.path('shop.db'), 30)
  writeFileSync(space.path('plimsoll.yaml'), CONFIG)
  for (let i = 0; i < RUNS; i++) {
    const { code, stderr } = await space.run('run')
    expect(code, stderr).toBe(0)
    addOrders(space.path('shop.db'), 1)
  }
  return space
}

interface Exported {
  streams: { records: { json: string; hash: string; prev: string; sequence: number; runId: string }[] }[]
}

test('A58: the own catalog and exported files verify; one changed, dropped, swapped, inserted record is named', {
  timeout: MINUTES_2_MS,
}, async () => {
  const { run, path } = await afterRuns()
  const own = await run('verify')
  expect(own.code, own.stderr).toBe(0)
  expect(own.stdout).toMatch(
    /✓ shop\/main\.orders {2}5 records\n {2}claims {2}complete below .*, generation 1/,
  )
  await run('state', 'export', '--to', 'whole.json')
  const text = readFileSync(path('whole.json'), 'utf8')
  const tampered = async (change: (records: Exported['streams'][0]['records']) => void) => {
    const content = JSON.parse(text) as Exported
    change(content.streams[0]!.records)
    writeFileSync(path('tampered.json'), JSON.stringify(content))
    const { code, json } = await run('verify', 'tampered.json', '--json')
    const { fault } = json.streams[0]
    return [code, fault?.sequence, fault?.what]
  }
  expect(await tampered(() => {})).toEqual([0, undefined, undefined])
  expect(
    await tampered((records) => {
      records[2]!.json = records[2]!.json.replace('"row_count":"', '"row_count":"1')
    }),
  ).toEqual([3, 3, 'was changed: its text does not have its hash'])
  expect(await tampered((records) => void records.splice(2, 1))).toEqual([
    3,
    4,
    'follows a gap: record 3 is missing',
  ])
  expect(await tampered((records) => void records.splice(1, 2, records[2]!, records[1]!))).toEqual([
    3,
    3,
    'stands where record 2 belongs: the two were swapped',
  ])
  expect(await tampered((records) => void records.splice(2, 0, records[1]!))).toEqual([
    3,
    2,
    'stands there twice: one of the two was inserted',
  ])
  // The import refuses what verify finds.
  const refused = await run('state', 'import', 'tampered.json', '--state', 'other')
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('stands there twice')
})

test('A58: the last record is held by the head that stands at the destination', {
  timeout: MINUTES_2_MS,
}, async () => {
  const { run, path } = await afterRuns()
  await run('state', 'export', '--to', 'whole.json')
  const content = JSON.parse(readFileSync(path('whole.json'), 'utf8')) as Exported
  const { hash } = content.streams[0]!.records.at(-1)!
  const older = content.streams[0]!.records.at(-2)!.hash
  expect((await run('verify', 'whole.json', '--head', hash)).code).toBe(0)
  const behind = await run('verify', 'whole.json', '--head', older)
  expect(behind.code).toBe(3)
  expect(behind.stdout).toContain('is not the head: that is record 4')
  content.streams[0]!.records.pop()
  writeFileSync(path('shorter.json'), JSON.stringify(content))
  expect((await run('verify', 'shorter.json')).code).toBe(0)
  const shorter = await run('verify', 'shorter.json', '--head', hash)
  expect(shorter.code).toBe(3)
  expect(shorter.stdout).toContain('the newest ones are missing')
})

test('A58: what was changed in the own catalog is found, is an alarm, and older than --since is taken as it stands', {
  timeout: MINUTES_2_MS,
}, async () => {
  const { run, path } = await afterRuns()
  const db = new Database(path('.plimsoll/catalog.sqlite'))
  db.exec('DROP TRIGGER record_stays_as_written')
  db.exec(
    `UPDATE record SET json = replace(json, '"outcome":"advanced"', '"outcome":"empty"') WHERE sequence = 2`,
  )
  db.close()
  const broken = await run('verify')
  expect(broken.code).toBe(3)
  expect(broken.stdout).toMatch(/fails +record 2 \(.*\) was changed: its text does not have its hash/)
  expect(broken.stdout).toContain('runbook  docs/runbooks/chain_broken.md')
  const { json } = await run('status', '--json')
  expect(json.pipelines[0].streams[0].alarms).toMatchObject([{ name: 'chain_broken' }])
  const since = await run('verify', '--since', '2999-01-01', '--json')
  expect(since.code).toBe(0)
  expect(since.json.streams[0]).toMatchObject({ record_count: RUNS, checked_count: 0 })
})

test('verify says what it cannot read, and what there is', { timeout: MINUTES_2_MS }, async () => {
  const { run, path } = await afterRuns()
  expect((await run('verify', '--table', 'orders')).code).toBe(0)
  const unknown = await run('verify', '--table', 'order')
  expect(unknown.code).toBe(2)
  expect(unknown.stderr).toContain('shop/main.orders')
  expect((await run('verify', 'gone.json')).code).toBe(2)
  writeFileSync(path('other.json'), '{}')
  expect((await run('verify', 'other.json')).code).toBe(2)
  expect((await run('verify', '--since', 'yesterday')).code).toBe(2)
  const empty = await run('verify', '--state', 'nowhere')
  expect(empty.code, empty.stderr).toBe(0)
  expect(empty.stderr).toContain('there is no record to verify')
})
