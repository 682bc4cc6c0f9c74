import { expect } from 'vitest'
import { freshSqliteFile } from '../support/sqlite-files.ts'
import { atMost, caseTest, clockUs, microseconds, pause, Scene, STAMPED } from './scene.ts'

caseTest('OWN-2 our own long reading does not hold the fence of other tables', async (way) => {
  const scene = await Scene.open(
    way,
    `${STAMPED} insert into t values (1, 'a'); ${STAMPED.replaceAll(' t ', ' other ')} insert into other values (1, 'a')`,
  )
  await pause(40)
  let inside: Promise<void> | undefined
  await scene.reaching((name) => {
    if (name !== 'read.snapshot_opened' || inside) return
    inside = (async () => {
      await pause(120)
      const before = BigInt(await clockUs(scene.at.sourceUrl)) - 110_000n
      const shape = await scene.engine.source.describe(
        { schema: 'public', name: 'other' },
        scene.settings.position,
      )
      const { order } = shape.positions.find((fact) => fact.column === 'at')!
      const fence = await scene.engine.source.fence({
        shape,
        order: order!,
        policy: scene.settings.fence,
        outstandingDecrees: [],
      })
      expect(fence.value!.value as bigint).toBeGreaterThan(before)
      expect(fence).toMatchObject({ proof: 'proven', heldBecause: undefined })
    })()
    return inside
  })
  await scene.runWell()
  await inside
  await scene.expectEqual()
})

caseTest('OWN-3 a trigger truncates stamps to seconds in a column of microseconds', async (way) => {
  const scene = await Scene.open(
    way,
    `create table t (id bigint primary key, v text, at timestamptz(6)); create index on t (at);
     insert into t select g, 'old', date_trunc('second', now()) - g * interval '1 second' from generate_series(1, 30) g;
     create function stamp() returns trigger language plpgsql as $$ begin new.at := date_trunc('second', now()); return new; end $$;
     create trigger stamp before insert or update on t for each row execute function stamp();`,
    {
      settings: { position: { column: 'at', stampedBy: 'database' } },
      columns: ['id', 'v', microseconds('at', way)],
    },
  )
  const writer = await scene.session()
  const marks = new Set<string>()
  for (let id = 100; id < 112; id++) {
    await writer.query(`insert into t values (${id}, 'new')`)
    const result = await scene.runWell()
    expect(result.counts.late).toBe(0)
    const mark = result.watermarkAfter!.value as bigint
    expect(mark % 1_000_000n).toBe(0n)
    marks.add(String(mark))
    await pause(60)
  }
  expect(marks.size).toBeLessThan(8)
  await scene.runOut()
})

caseTest('OWN-6 a SQLite file that may only be read is never proven', async (way) => {
  const { url, db } = freshSqliteFile(
    `create table t (id integer primary key, v text, at text default (strftime('%Y-%m-%d %H:%M:%S', 'now'))); create index i on t (at)`,
  )
  db.exec(`begin immediate; insert into t (v) values ('open')`)
  const scene = await Scene.open(way, '', {
    sourceUrl: `${url}?mode=ro`,
    table: 'main.t',
    settings: { position: { column: 'at', stampedBy: 'database' } },
  })
  const result = await scene.runWell()
  const [record] = await scene.records()
  expect(record.fence.method).toBe('settle')
  expect(record.fence.proof).toBe('assumed')
  expect(result.proof).toBe('assumed')
  db.exec('commit')
  db.close()
})

caseTest('OWN-8 a rewriting ALTER commits before the first touch of the table', async (way) => {
  const scene = await Scene.open(
    way,
    `create table t (id bigint primary key, v text, n int, at timestamptz default now()); create index on t (at); insert into t values (1, 'a', 1)`,
  )
  await scene.runOut()
  const before = await scene.claim()
  await scene.sql(`insert into t values (2, 'b', 2)`)
  await pause(40)
  const statements = ['vacuum full t', 'alter table t alter n type bigint']
  await scene.reaching(async (name) => {
    if (name === 'replica.waited') await scene.sql(statements.shift() ?? 'select 1')
  })
  await scene.runWell()
  await scene.expectEqual()
  const mark = (await scene.claim())!.watermark!
  expect(atMost({ watermarkAfter: before!.watermark } as never, String(mark.value))).toBe(true)
  await scene.sql(`insert into t values (3, 'c', 3)`)
  await pause(40)
  const stopped = await scene.run()
  expect(stopped.error?.code).toBe('SCHEMA_CHANGED')
  expect((await scene.claim())?.watermark).toEqual(mark)
  expect(await scene.landed()).toHaveLength(2)
})
