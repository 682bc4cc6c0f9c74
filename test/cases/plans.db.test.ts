import { expect } from 'vitest'
import { backfillStream, planStream } from '../../src/extract/index.ts'
import { openAlarms } from './alarms.ts'
import { caseTest, pause, Scene, STAMPED } from './scene.ts'

caseTest('PLAN-1 no index begins with the position column', async (way) => {
  const scene = await Scene.open(
    way,
    `create table t (id bigint primary key, v text, at timestamptz default now());
     insert into t select g, 'x', now() - interval '1 hour' from generate_series(1, 5000) g; analyze t`,
    { settings: { few: { fullScanMaxRows: 1_000 } } },
  )
  await scene.runWell()
  const before = await scene.claim()
  for (const index of ['', 'create index on t (v, at)']) {
    if (index) await scene.sql(`${index}; analyze t`)
    await pause(40)
    let readings = 0
    await scene.reaching((name) => {
      if (name === 'read.snapshot_opened') readings++
    })
    const plan = await planStream(scene.engine, scene.settings)
    expect(plan.obstacles).toMatchObject([{ code: 'PLAN_TOO_EXPENSIVE' }])
    readings = 0
    const refused = await scene.run()
    expect(refused.error?.code).toBe('PLAN_TOO_EXPENSIVE')
    expect(refused.error?.hint).toMatch(/create index.*"?at"?/i)
    expect(readings).toBe(0)
    expect((await scene.claim())?.watermark).toEqual(before?.watermark)
  }
  await scene.sql('create index on t (at); analyze t')
  await scene.runWell()
})

/** What pull runs see. That the reverse audit finds the three belongs to the audits. */
caseTest('PLAN-2 deleted rows, and one that came back', async (way) => {
  const scene = await Scene.open(way, `${STAMPED} insert into t select g, 'old' from generate_series(1, 6) g`)
  await scene.runOut()
  await scene.sql(`delete from t where id <= 4; insert into t values (4, 'again')`)
  await pause(40)
  const result = await scene.runWell()
  expect(result.counts).toMatchObject({ inserted: 0, updated: 1 })
  const rows = await scene.landed()
  expect(rows).toHaveLength(6)
  expect(rows[3]).toEqual(['4', 'again'])
})

caseTest('PLAN-3 a column is added with a default, and then renamed', async (way) => {
  const scene = await Scene.open(way, `${STAMPED} insert into t select g, 'x' from generate_series(1, 3) g`, {
    columns: ['id', 'v', 'c'],
  })
  await pause(40)
  const first = await scene.runWell()
  expect(first.counts.inserted).toBe(3)
  const mark = first.watermarkAfter!
  await scene.sql('alter table t add column c int default 7')
  await pause(40)
  await scene.runWell()
  const record = (await scene.records()).at(-1)
  expect(record.columns_added).toEqual(['c'])
  expect(record.columns_added_below).toBe(String(mark.value))
  const alarm = (await openAlarms(scene)).find((each) => each.name === 'column_added')
  expect(alarm?.text).toContain('plimsoll backfill')
  const filled = await backfillStream(scene.engine, scene.settings, { from: undefined, to: undefined })
  expect(filled.counts.updated + Number(scene.way.overlap === undefined) * 3).toBe(3)
  await scene.expectEqual()
  expect((await scene.landed()).map((row) => row[2])).toEqual(['7', '7', '7'])
  await scene.sql(`alter table t rename c to d; insert into t values (4, 'y')`)
  await pause(40)
  const before = await scene.claim()
  const stopped = await scene.run()
  expect(stopped.error?.code).toBe('SCHEMA_CHANGED')
  expect(await scene.landed()).toHaveLength(3)
  expect((await scene.claim())?.watermark).toEqual(before?.watermark)
})
