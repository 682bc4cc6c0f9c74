import { rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { watchStreams } from '../../src/assure/alarms/watch-streams.ts'
import { backfillStream, rewindStream } from '../../src/extract/index.ts'
import { DEFAULT_LIMITS } from '../../src/extract/settings.ts'
import { pause, Scene, STAMPED, type Way } from '../cases/scene.ts'
import { change, createShop, workspace } from '../cli/support/program.ts'

const DUCKDB: Way = { overlap: undefined, destination: 'duckdb' }
const MINUTES_2_MS = 120_000
const BY = { person: 'ada', reason: 'a test' }

async function openAlarms(scene: Scene): Promise<string[]> {
  await watchStreams(scene.engine.catalog, [scene.settings])
  return (await scene.engine.catalog.alarms(true)).map(({ name, level }) => `${name} ${level}`)
}

test('A59: fence_held is a notice, a page after six times holdAlarm, and over when the fence is fresh', {
  timeout: MINUTES_2_MS,
}, async () => {
  const scene = await Scene.open(DUCKDB, STAMPED, { settings: { few: { holdAlarmMs: 150 } } })
  const slow = await scene.session()
  await scene.runWell()
  await slow.query("begin; insert into t values (1, 'slow')")
  await pause(250)
  await scene.runWell()
  expect(await openAlarms(scene)).toEqual(['fence_held notice'])
  await pause(900)
  await scene.runWell()
  expect(await openAlarms(scene)).toEqual(['fence_held page'])
  const [alarm] = await scene.engine.catalog.alarms(true)
  expect(alarm).toMatchObject({ count: 2, latest: expect.stringContaining('writer') })
  await slow.query('commit')
  await scene.runWell()
  expect(await openAlarms(scene)).toEqual([])
})

test('A59: fence_decreed until its bill, decree_billed until the range is found clean', {
  timeout: MINUTES_2_MS,
}, async () => {
  const scene = await Scene.open(DUCKDB, STAMPED, { settings: { fence: { holdMaxMs: 150 } } as never })
  const slow = await scene.session()
  await scene.runWell()
  await slow.query("begin; insert into t values (1, 'slow')")
  await pause(300)
  await scene.runWell()
  await scene.runWell()
  expect(await openAlarms(scene)).toEqual(['fence_decreed page'])
  await pause(100)
  await slow.query('commit')
  await pause(100)
  await scene.runWell()
  expect(await openAlarms(scene)).toEqual(['decree_billed page'])
  await scene.engine.catalog.appendRecord(scene.settings.catalogKey, {
    kind: 'audit',
    opened_us: String(scene.engine.catalog.nowUs()),
    closed_us: String(scene.engine.catalog.nowUs()),
    counts: { equal: 1, findings: 0 },
    from: null,
  })
  expect(await openAlarms(scene)).toEqual([])
})

test('A59: column_added until everything below the watermark was read again', {
  timeout: MINUTES_2_MS,
}, async () => {
  const scene = await Scene.open(DUCKDB, `${STAMPED} insert into t values (1, 'a')`, { columns: ['id'] })
  await pause(50)
  await scene.runWell()
  await scene.sql("alter table t add column w text default 'old'")
  await pause(50)
  await scene.runWell()
  expect(await openAlarms(scene)).toEqual(['column_added notice'])
  await scene.runWell()
  const bounded = await backfillStream(scene.engine, scene.settings, { from: '2000-01-01', to: undefined })
  expect(bounded.error).toBeUndefined()
  expect(await openAlarms(scene)).toEqual(['column_added notice'])
  await backfillStream(scene.engine, scene.settings, { from: undefined, to: undefined })
  expect(await openAlarms(scene)).toEqual([])
})

test('A59: schema_changed until it is accepted into a new generation; failing beside it', {
  timeout: MINUTES_2_MS,
}, async () => {
  const scene = await Scene.open(DUCKDB, `${STAMPED} insert into t values (1, 'a')`, { columns: ['id'] })
  await pause(50)
  await scene.runWell()
  await scene.sql('alter table t drop column v')
  for (const expected of ['notice', 'notice', 'page']) {
    await scene.run()
    expect(await openAlarms(scene)).toEqual([`run_failing ${expected}`, 'schema_changed page'])
  }
  await scene.there('alter table t drop column v')
  await rewindStream(scene.engine, scene.settings, { kind: 'start' }, BY)
  expect(await openAlarms(scene)).toEqual(['run_failing page', 'schema_changed page'])
  await scene.runWell()
  expect(await openAlarms(scene)).toEqual([])
})

test('A59: destination_went_back until a new generation begins at what is there', {
  timeout: MINUTES_2_MS,
}, async () => {
  const scene = await Scene.open(DUCKDB, `${STAMPED} insert into t values (1, 'a')`)
  await pause(50)
  await scene.runWell()
  await scene.there('delete from t')
  await scene.run()
  expect(await openAlarms(scene)).toEqual(['run_failing notice', 'destination_went_back page'])
  await scene.runWell({ onDestinationWentBack: 'rewind' })
  expect(await openAlarms(scene)).toEqual([])
})

test('A59: proof_contradicted until it is declared anew in a new generation', {
  timeout: MINUTES_2_MS,
}, async () => {
  const scene = await Scene.open(DUCKDB, `${STAMPED} insert into t values (1, 'a')`)
  await pause(50)
  await scene.runWell()
  await scene.sql("insert into t values (2, 'old', now() - interval '1 minute')")
  await pause(50)
  await scene.runWell()
  const names = (await openAlarms(scene)).filter((each) => !each.startsWith('lateness'))
  expect(names).toEqual(['proof_contradicted page'])
  await scene.runWell()
  expect(await openAlarms(scene)).toContain('proof_contradicted page')
  await rewindStream(scene.engine, scene.settings, { kind: 'destination' }, BY)
  expect(await openAlarms(scene)).not.toContain('proof_contradicted page')
})

test('A59: lane_growing until its lane is empty', { timeout: MINUTES_2_MS }, async () => {
  const scene = await Scene.open(
    DUCKDB,
    `${STAMPED} insert into t select i, 'x', null from generate_series(1, 5) i`,
    {
      settings: { few: { laneMaxRows: 2 } },
    },
  )
  await scene.runWell()
  expect(await openAlarms(scene)).toEqual(['lane_growing notice'])
  await scene.sql('update t set at = now() where id > 1')
  await pause(50)
  await scene.runWell()
  expect(await openAlarms(scene)).toEqual(['lane_growing notice'])
  await scene.sql('update t set at = now() where id = 1')
  await pause(50)
  await scene.runWell()
  expect(await openAlarms(scene)).toEqual([])
})

test('A59: watermark_stalled by a session, though runs are due', { timeout: MINUTES_2_MS }, async () => {
  const scene = await Scene.open(DUCKDB, STAMPED)
  const limits = { ...DEFAULT_LIMITS, ...scene.settings.limits, everyMs: 100 }
  const look = async (): Promise<string[]> => {
    await watchStreams(scene.engine.catalog, [{ ...scene.settings, limits }])
    return (await scene.engine.catalog.alarms(true)).map(({ name }) => name)
  }
  const slow = await scene.session()
  await scene.runWell()
  await slow.query("begin; insert into t values (1, 'slow')")
  await pause(60)
  await scene.runWell()
  for (let i = 0; i < 4; i++) {
    await pause(100)
    await scene.runWell()
  }
  expect(await look()).toContain('watermark_stalled')
  await slow.query('commit')
  await pause(60)
  await scene.runWell()
  expect(await look()).not.toContain('watermark_stalled')
})

const CONFIG = `name: shop
source: { url: sqlite:shop.db }
destination: { url: duckdb:shop.duckdb }
tables:
  orders: { position: { column: updated_at, stampedBy: database } }
  invoices: { position: { column: updated_at, stampedBy: database } }
`

test('A59: plimsoll alarms tells the streams of one broken source as one page, with what to do', {
  timeout: MINUTES_2_MS,
}, async () => {
  const { run, path } = workspace()
  createShop(path('shop.db'), 30)
  change(path('shop.db'), (db) =>
    db.exec(`CREATE TABLE invoices (id INTEGER PRIMARY KEY, updated_at TEXT NOT NULL);
      INSERT INTO invoices SELECT order_id, updated_at FROM orders; CREATE INDEX i ON invoices (updated_at)`),
  )
  writeFileSync(path('plimsoll.yaml'), CONFIG)
  expect((await run('run')).code).toBe(0)
  const calm = await run('alarms')
  expect(calm.code, calm.stderr).toBe(0)
  expect(calm.stdout).toBe('no alarm is open\n')
  rmSync(path('shop.db'))
  expect((await run('run')).code).toBe(4)
  const notice = await run('alarms')
  expect(notice.code).toBe(0)
  expect(notice.stdout).toContain('0 pages, 1 notice open')
  for (let i = 0; i < 2; i++) expect((await run('run')).code).toBe(4)
  const page = await run('alarms')
  expect(page.code).toBe(3)
  expect(page.stdout).toContain('1 page, 0 notices open')
  expect(page.stdout).toMatch(/PAGE {2}run_failing {2}shop: main.orders, main.invoices/)
  for (const word of ['what', 'since', 'costs', 'until', 'next', 'runbook  docs/runbooks/run_failing.md'])
    expect(page.stdout).toContain(word)
  const { json } = await run('alarms', '--json')
  expect(json).toMatchObject({ ok: false, page_count: 1, notice_count: 0 })
  expect(json.groups[0]).toMatchObject({
    name: 'run_failing',
    level: 'page',
    streams: ['main.orders', 'main.invoices'],
  })
  expect(json.groups[0].alarms[0]).toMatchObject({ count: 3, resolved_us: null })
  createShop(path('shop.db'), 30)
  writeFileSync(path('plimsoll.yaml'), CONFIG.replace(/ {2}invoices.*\n/, ''))
  const changed = await run('run')
  expect(changed.code).toBe(4)
  expect((await run('alarms')).stdout).toContain('PAGE  source_changed')
  expect(
    (await run('state', 'rewind', 'orders', '--to', 'start', '--reason', 'a new shop', '--yes')).code,
  ).toBe(0)
  expect((await run('run')).code).toBe(0)
  const over = await run('alarms')
  expect(over.stdout).toBe('no alarm is open\n')
  const all = await run('alarms', '--all')
  expect(all.code).toBe(0)
  expect(all.stdout).toContain('resolved  source_changed')
})
