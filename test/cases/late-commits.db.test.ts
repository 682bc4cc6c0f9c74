import { expect } from 'vitest'
import { openAlarms } from './alarms.ts'
import { atMost, caseTest, clockUs, pause, Scene, STAMPED } from './scene.ts'

const noneLate = (results: readonly { counts: { late: number } }[]) =>
  expect(results.map((result) => result.counts.late)).toEqual(results.map(() => 0))

caseTest('LATE-1 the fence waits for a writer that is open', async (way) => {
  const scene = await Scene.open(way, STAMPED)
  await scene.runWell()
  const before = await clockUs(scene.at.sourceUrl)
  const a = await scene.session()
  await a.query(`begin; insert into t values (1, 'a')`)
  const opened = await clockUs(scene.at.sourceUrl)
  await scene.sql(`insert into t values (2, 'b')`)
  await pause(40)
  const held = await scene.runWell()
  expect(atMost(held, opened)).toBe(true)
  expect(BigInt(before) < BigInt(opened)).toBe(true)
  await a.query('commit')
  noneLate([held, ...(await scene.runOut())])
  expect(await scene.landed()).toHaveLength(2)
})

caseTest('LATE-2 stamps of clock_timestamp() by a trigger', async (way) => {
  const scene = await Scene.open(
    way,
    `create table t (id bigint primary key, v text, at timestamptz); create index on t (at);
     create function touch() returns trigger language plpgsql as 'begin new.at := clock_timestamp(); return new; end';
     create trigger touch before insert or update on t for each row execute function touch();`,
  )
  await scene.runWell()
  const [a, b] = [await scene.session(), await scene.session()]
  await a.query('begin; select 1')
  const opened = await clockUs(scene.at.sourceUrl)
  await b.query('begin; select 1')
  await a.query(`insert into t values (1, 'a')`)
  await b.query(`insert into t values (2, 'b')`)
  await b.query('commit')
  await pause(40)
  const first = await scene.runWell()
  expect(atMost(first, opened)).toBe(true)
  await a.query('commit')
  noneLate([first, ...(await scene.runOut())])
})

for (const end of ['commit', 'rollback'] as const) {
  caseTest(`LATE-3 a number that was drawn first and ends last: ${end}`, async (way) => {
    const scene = await Scene.open(
      way,
      `create sequence n start 100; create table t (id bigint primary key default nextval('n'), v text); alter sequence n owned by t.id;`,
      { settings: { position: { column: 'id', stampedBy: 'database' }, appendOnly: true } },
    )
    await scene.runWell()
    const a = await scene.session()
    await a.query(`begin; insert into t (v) values ('a')`)
    await scene.sql(`insert into t (v) values ('b')`)
    const first = await scene.runWell()
    expect(BigInt(first.watermarkAfter!.value as bigint)).toBeLessThanOrEqual(100n)
    await a.query(end)
    const results = await scene.runOut()
    noneLate(results)
    const last = await scene.runWell()
    expect(BigInt(last.watermarkAfter!.value as bigint)).toBe(102n)
    expect(await scene.landed()).toHaveLength(end === 'commit' ? 2 : 1)
    expect(last.alarms).toEqual([])
  })
}

caseTest('LATE-4 a row below the bound commits between bound and read', async (way) => {
  const scene = await Scene.open(way, STAMPED)
  await scene.runWell()
  const writer = await scene.session()
  await writer.query(`begin; insert into t values (1, 'a')`)
  await scene.sql(`insert into t values (2, 'b')`)
  await pause(40)
  let commits = 0
  await scene.reaching(async (name) => {
    if (name === 'fence.recorded' && commits++ === 0) await writer.query('commit')
    if (name === 'fence.recorded')
      await scene.sql(`insert into t values (${10 + commits}, 'after the fence')`)
  })
  const results = [await scene.runWell()]
  expect(commits).toBe(1)
  await scene.reaching(() => {})
  results.push(...(await scene.runOut()))
  noneLate(results)
  expect(await scene.landed()).toHaveLength(3)
})

caseTest('LATE-5 a writer idle in transaction, never passed over', async (way) => {
  const scene = await Scene.open(way, STAMPED, { settings: { few: { holdAlarmMs: 200 } } })
  await scene.runWell()
  const a = await scene.session()
  await a.query(`begin; insert into t values (1, 'a')`)
  await scene.sql(`insert into t values (2, 'b')`)
  await pause(300)
  const held = await scene.runWell()
  const again = await scene.runWell()
  expect(again.outcome).toBe('held')
  const pid = (a as unknown as { processID: number }).processID
  const alarm = (await openAlarms(scene)).find((each) => each.name === 'fence_held')
  expect(alarm?.text).toContain(`pid ${pid}`)
  expect(await scene.landed()).toEqual([])
  await a.query('commit')
  noneLate([held, again, ...(await scene.runOut())])
  expect((await openAlarms(scene)).map((each) => each.name)).not.toContain('fence_held')
})

caseTest('LATE-5 a writer idle in transaction, passed over by decree', async (way) => {
  const scene = await Scene.open(way, STAMPED, { settings: { fence: { holdMaxMs: 1_500, fenceWaitMs: 60 } } })
  await scene.runWell()
  const a = await scene.session()
  await a.query(`begin; insert into t values (1, 'a'), (2, 'a')`)
  await scene.sql(`insert into t values (3, 'b')`)
  const held = await scene.runWell()
  expect(held.proof).toBe('proven')
  await pause(1_700)
  const decreed = await scene.runWell()
  expect(decreed.outcome).toBe('advanced')
  expect(decreed.proof).toBe('assumed')
  expect((await openAlarms(scene)).map((each) => each.name)).toContain('fence_decreed')
  expect(await scene.landed()).toEqual([['3', 'b']])
  await a.query('commit')
  await pause(60)
  const billed = await scene.runWell()
  expect(await scene.landed()).toHaveLength(3)
  expect(billed).toMatchObject({ billRows: 2, counts: { late: 0 } })
  expect((await scene.records()).at(-1).bills).toMatchObject([{ bill: 2 }])
  await scene.runOut()
  const settled = await scene.runWell()
  expect(settled.proof).toBe('proven')
  expect((await openAlarms(scene)).map((each) => each.name)).not.toContain('fence_decreed')
})

caseTest('LATE-5 what lay below the blocker that was passed over keeps its proof', async (way) => {
  const scene = await Scene.open(way, STAMPED, { settings: { fence: { holdMaxMs: 500, fenceWaitMs: 60 } } })
  await scene.runWell()
  await scene.sql(`insert into t values (9, 'z')`)
  await pause(300)
  const a = await scene.session()
  await a.query(`begin; insert into t values (1, 'a')`)
  await pause(700)
  expect(await scene.runWell()).toMatchObject({ outcome: 'advanced', proof: 'assumed' })
  await a.query('commit')
  await pause(60)
  expect(await scene.runWell()).toMatchObject({ billRows: 1, proof: 'proven' })
  await scene.expectEqual()
})

for (const end of ['commit', 'rollback'] as const) {
  caseTest(`LATE-8 stamp, PREPARE, run, ${end.toUpperCase()} PREPARED, run`, async (way) => {
    const scene = await Scene.open(way, STAMPED)
    await scene.runWell()
    const a = await scene.session()
    await a.query(`begin; insert into t values (1, 'a')`)
    const stamped = await clockUs(scene.at.sourceUrl)
    await scene.runWell()
    await a.query(`prepare transaction 'late 8'`)
    await scene.sql(`insert into t values (2, 'b')`)
    await pause(40)
    try {
      const held = await scene.runWell()
      expect(atMost(held, stamped)).toBe(true)
      expect(held.counts.late).toBe(0)
    } finally {
      await a.query(`${end} prepared 'late 8'`)
    }
    noneLate(await scene.runOut())
    expect(await scene.landed()).toHaveLength(end === 'commit' ? 2 : 1)
  })
}
