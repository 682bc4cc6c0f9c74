import { copyFile, rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { exitCodeOfResults } from '../../src/cli/exit-code.ts'
import { runPipeline } from '../../src/extract/index.ts'
import { comparePositions, positionToJson } from '../../src/kernel/position.ts'
import { caseSettings, caseTest, microseconds, pause, Scene, STAMPED } from './scene.ts'

/** Physically in the order 5, 1, 3, 2, 4; without an index rows come as they lie. */
const SHUFFLED = `create table flag (broken boolean); insert into flag values (true);
  create table base (id bigint primary key, v text, at timestamptz);
  insert into base select id, 'x', now() - interval '1 hour' + id * interval '1 second' from unnest(array[5, 1, 3, 2, 4]) id;
  create function checked(id bigint) returns text language plpgsql as $$ begin
    if id <> 5 and (select broken from flag) then raise exception 'the disk is bad at %', id; end if; return 'x'; end $$;
  create view t as select id, checked(id) as v, at from base;`

caseTest('STATE-1 rows come out of order and the reading fails after the first', async (way) => {
  const scene = await Scene.open(way, SHUFFLED, {
    settings: { key: ['id'] },
    columns: ['id', microseconds('at', way)],
  })
  const failed = await scene.run()
  expect(failed.error).toMatchObject({
    code: 'SOURCE_FAILED',
    message: expect.stringContaining('the disk is bad'),
  })
  expect((await scene.claim())?.watermark).toBeUndefined()
  expect(await scene.landed()).toEqual([])
  await scene.sql('update flag set broken = false')
  const resumed = await scene.runWell()
  expect(resumed.counts.inserted).toBe(5)
  await scene.expectEqual()
})

caseTest('STATE-2 the destination refuses the seventh of ten rows', async (way) => {
  const scene = await Scene.open(way, STAMPED)
  await scene.runWell()
  const before = await scene.claim()
  await constrain(scene, 't', `v <> 'r7'`)
  await scene.sql(`insert into t select g, 'r' || g, clock_timestamp() from generate_series(1, 10) g`)
  await pause(40)
  const refused = await scene.run()
  expect(refused.error?.code).toBe('DESTINATION_REFUSED_ROW')
  expect(JSON.stringify(refused.error?.context?.key)).toBe('["7"]')
  expect(await scene.landed()).toEqual([])
  expect((await scene.claim())?.watermark).toEqual(before?.watermark)
  await constrain(scene, 't', undefined)
  await scene.runWell()
  expect(await scene.landed()).toHaveLength(10)
  await scene.expectEqual()
})

/** Puts a check on a table at the destination, or takes it away. DuckDB knows checks of new tables only. */
async function constrain(scene: Scene, name: string, check: string | undefined): Promise<void> {
  const table = `${scene.settings.target.schema}.${name}`
  if (scene.way.destination === 'postgres') {
    await scene.there(
      `alter table ${table} ${check ? `add constraint c check (${check})` : 'drop constraint c'}`,
    )
    return
  }
  await scene.there(`create table kept as from ${table}`)
  await scene.there(`drop table ${table}`)
  await scene.there(
    `create table ${table} (id bigint not null, v varchar, "at" timestamptz, _plimsoll_seq bigint not null ${check ? `, check (${check})` : ''})`,
  )
  await scene.there(`insert into ${table} from kept`)
  await scene.there('drop table kept')
}

for (const policy of ['stop', 'rewind'] as const) {
  test(`STATE-3 the destination is restored to yesterday: ${policy}`, async () => {
    for (const overlap of [{ kind: 'fixed', amount: 0n } as const, undefined]) {
      const scene = await Scene.open(
        { overlap, destination: 'duckdb' },
        `${STAMPED} insert into t values (1, 'a')`,
      )
      const file = new URL(scene.at.destinationUrl).pathname
      await scene.runOut()
      await scene.close()
      await copyFile(file, `${file}.yesterday`)
      await scene.restart()
      for (let id = 2; id <= 3; id++) {
        await scene.sql(`insert into t values (${id}, 'later')`)
        await scene.runOut()
      }
      await scene.close()
      await rm(`${file}.wal`, { force: true })
      await copyFile(`${file}.yesterday`, file)
      await scene.restart()
      const stopped = await scene.run()
      expect(stopped.error).toMatchObject({
        code: 'DESTINATION_WENT_BACK',
        hint: expect.stringContaining('rewind'),
      })
      if (policy === 'stop') {
        expect(await scene.landed()).toHaveLength(1)
        continue
      }
      const rewound = await scene.runWell({ onDestinationWentBack: 'rewind' })
      expect(rewound.generation).toBe(2)
      await scene.expectEqual()
      expect((await scene.runWell()).generation).toBe(2)
    }
  })
}

for (const taken of ['dropped', 'emptied'] as const) {
  caseTest(`STATE-3 the rows are taken away and the claim stays: ${taken}`, async (way) => {
    const scene = await Scene.open(way, `${STAMPED} insert into t values (1, 'a'), (2, 'b')`)
    await scene.runOut()
    const { schema, name } = scene.settings.target
    await scene.there(`${taken === 'dropped' ? 'drop table' : 'delete from'} ${schema}.${name}`)
    for (let i = 0; i < 2; i++) {
      const stopped = await scene.run()
      expect(stopped.error).toMatchObject({
        code: 'DESTINATION_WENT_BACK',
        hint: expect.stringContaining('--to start'),
      })
    }
    const rewound = await scene.runWell({ onDestinationWentBack: 'rewind' })
    expect([rewound.generation, rewound.counts.inserted]).toEqual([2, 2])
    await scene.expectEqual()
  })
}

caseTest('STATE-4 the catalog is lost', async (way) => {
  const scene = await Scene.open(way, `${STAMPED} insert into t values (1, 'a')`)
  await scene.runOut()
  const before = await scene.claim()
  await scene.close()
  await rm(scene.at.stateDir, { recursive: true })
  await scene.restart()
  await scene.sql(`insert into t values (2, 'b')`)
  const adopted = await scene.runWell()
  expect(adopted.watermarkBefore).toEqual(before?.watermark)
  expect(adopted.counts.updated).toBe(0)
  await scene.runOut()
})

caseTest('STATE-4 rows that nobody claimed are not ours', async (way) => {
  const scene = await Scene.open(way, `${STAMPED} insert into t values (1, 'a')`)
  const { schema, name } = scene.settings.target
  await scene.there(`create table ${schema}.${name} (id bigint primary key, v varchar, "at" timestamptz)`)
  await scene.there(`insert into ${schema}.${name} values (77, 'theirs', now())`)
  const refused = await scene.run()
  expect(refused.error?.code).toBe('DESTINATION_NOT_OURS')
  expect(refused.error?.hint).toMatch(/--as|another table|as:/)
  expect(await scene.landed()).toEqual([['77', 'theirs']])
})

caseTest('STATE-5 the second of three tables fails while landing', async (way) => {
  const make = (name: string) => STAMPED.replaceAll(' t ', ` ${name} `)
  const fill = (id: number) =>
    ['a', 'b', 'c'].map((name) => `insert into ${name} values (${id}, 'row ${id}')`).join(';')
  const scene = await Scene.open(way, `${['a', 'b', 'c'].map(make).join('')} ${fill(1)}`)
  const streams = ['a', 'b', 'c'].map((name) => caseSettings(`public.${name}`, way))
  await pause(40)
  const all = await runPipeline(scene.engine, streams, 2)
  expect(exitCodeOfResults(all.results)).toBe(0)
  const count = async (name: string) =>
    (await scene.there(`select cast(id as varchar) from ${streams[0]!.target.schema}.${name}`)).length
  await constrain(scene, 'b', 'id < 2')
  const marks = all.results.map((result) => result.watermarkAfter!)
  await scene.sql(fill(2))
  await pause(40)
  const { results } = await runPipeline(scene.engine, streams, 2)
  expect(results.map((result) => result.error === undefined)).toEqual([true, false, true])
  expect(exitCodeOfResults(results)).toBe(7)
  expect([await count('a'), await count('b'), await count('c')]).toEqual([2, 1, 2])
  expect((await scene.destination.claim('public.b'))?.watermark).toEqual(marks[1])
  expect(
    comparePositions((await scene.destination.claim('public.a'))!.watermark!, marks[0]!),
  ).toBeGreaterThan(0)
  await constrain(scene, 'b', undefined)
  const next = await runPipeline(scene.engine, streams, 2)
  expect(next.results.map((result) => result.counts.inserted)).toEqual([0, 1, 0])
  expect(next.results[1]!.watermarkBefore).toEqual(marks[1])
  expect(await count('b')).toBe(2)
})

caseTest('STATE-7 the order in which rows come moves nothing', async (way) => {
  const marks: unknown[] = []
  for (const order of ['3, 1, 2', '1, 2, 3']) {
    const scene = await Scene.open(
      way,
      `create table t (id bigint primary key, v text, at timestamptz);
       insert into t select id, 'x', now() - interval '1 hour' + id * interval '1 second' from unnest(array[${order}]) id`,
    )
    const result = await scene.runWell()
    const [record] = await scene.records()
    expect(record.watermark_after).toEqual(record.fence.value)
    expect(positionToJson(result.watermarkAfter!)).toEqual(record.fence.value)
    marks.push(result.counts.rows_read)
    await scene.expectEqual()
  }
  expect(marks).toEqual([3, 3])
})

caseTest('STATE-8 nothing, nothing left, nothing new, and then a row', async (way) => {
  const scene = await Scene.open(
    way,
    `create table base (id bigint primary key, v text, at timestamptz default now()); create index on base (at);
     create view t as select * from base where v <> 'dropped'`,
    { settings: { key: ['id'] } },
  )
  const isAtFence = async () => {
    const result = await scene.runWell()
    const record = (await scene.records()).at(-1)
    expect(record.watermark_after).toEqual(record.fence.value)
    expect(result).toMatchObject({ outcome: 'empty', counts: { rows_read: 0 } })
    await pause(40)
  }
  await isAtFence()
  await scene.sql(`insert into base values (1, 'dropped')`)
  await pause(40)
  await isAtFence()
  await isAtFence()
  await scene.sql(`insert into base values (2, 'kept')`)
  await pause(40)
  expect((await scene.runWell()).outcome).toBe('advanced')
  expect(await scene.landed()).toEqual([['2', 'kept']])
})

caseTest('STATE-9 NULL in a key', async (way) => {
  const scene = await Scene.open(
    way,
    `create table t (a int, b int, v text, at timestamptz default now(), unique (a, b)); create index on t (at); insert into t values (1, null, 'first')`,
    { settings: { key: ['a', 'b'] }, columns: ['a', 'b', 'v'] },
  )
  await pause(40)
  expect((await scene.run()).error?.code).toBe('KEY_NULL')
  expect(await scene.landed()).toEqual([])
  const match = { nullKeys: 'match' } as const
  await scene.runWell(match)
  await scene.sql(`update t set at = clock_timestamp()`)
  await pause(40)
  await scene.runWell(match)
  expect(await scene.landed()).toHaveLength(1)
  await scene.sql(`update t set v = 'updated', at = clock_timestamp()`)
  await pause(40)
  await scene.runWell(match)
  await scene.expectEqual()
})
