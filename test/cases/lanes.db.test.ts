import { expect } from 'vitest'
import { freshSqliteFile } from '../support/sqlite-files.ts'
import { caseTest, clockUs, pause, Scene, STAMPED } from './scene.ts'

caseTest('LANE-1 rows without a position', async (way) => {
  const scene = await Scene.open(
    way,
    `${STAMPED} insert into t select g, 'none', null from generate_series(1, 3) g; insert into t values (4, 'ordinary')`,
  )
  await pause(40)
  const first = await scene.runWell()
  expect(first.laneRows).toEqual({ null: 3 })
  await scene.expectEqual()
  await scene.sql(`update t set v = 'moved', at = clock_timestamp() where id = 2`)
  await pause(40)
  const second = await scene.runWell()
  expect(second.laneRows).toEqual({ null: 2 })
  await scene.expectEqual()
})

caseTest('LANE-1 the same in a SQLite file', async (way) => {
  const { url, db } =
    freshSqliteFile(`create table t (id integer primary key, v text, at text); create index i on t (at);
    insert into t (id, v) values (1, 'none'), (2, 'none'), (3, 'none')`)
  const scene = await Scene.open(way, '', {
    sourceUrl: url,
    table: 'main.t',
    settings: { position: { column: 'at', stampedBy: 'database', encoding: 'iso' } },
  })
  // Twenty stamps show the template and the grain of a text column.
  const insert = db.prepare("insert into t values (?, 'old', ?)")
  for (let i = 0; i < 20; i++)
    insert.run(100 + i, `2026-01-05 10:00:${String((i * 7) % 60).padStart(2, '0')}`)
  expect((await scene.runWell()).laneRows).toEqual({ null: 3 })
  db.exec(`update t set v = 'moved', at = strftime('%Y-%m-%d %H:%M:%S', 'now') where id = 2`)
  await pause(1_100)
  expect((await scene.runWell()).laneRows).toEqual({ null: 2 })
  const rows = await scene.landed()
  expect(rows).toHaveLength(23)
  expect(rows.filter((row) => row[0] === '2')).toEqual([['2', 'moved']])
})

caseTest('LANE-2 one row dated thirty days ahead', async (way) => {
  const scene = await Scene.open(
    way,
    `${STAMPED} insert into t values (1, 'future', now() + interval '30 days'), (2, 'ordinary', now())`,
  )
  await pause(40)
  const first = await scene.runWell()
  expect(first.laneRows).toEqual({ future: 1 })
  expect(await scene.landed()).toHaveLength(2)
  for (let id = 3; id < 6; id++) {
    await scene.sql(`insert into t values (${id}, 'ordinary')`)
    await scene.sql(`update t set v = 'future ${id}' where id = 1`)
    await pause(40)
    const result = await scene.runWell()
    expect(result.watermarkAfter!.value as bigint).toBeLessThan(BigInt(await clockUs(scene.at.sourceUrl)))
    await scene.expectEqual()
  }
})

caseTest('LANE-3 rows at infinity and -infinity', async (way) => {
  const scene = await Scene.open(
    way,
    `${STAMPED} insert into t values (1, 'a', 'infinity'), (2, 'b', '-infinity'), (3, 'c', now())`,
    {
      columns: [
        'id',
        'v',
        [
          `case when isfinite("at") then 'finite' else "at"::text end`,
          `case when isfinite("at") then 'finite' else cast("at" as varchar) end`,
        ],
      ],
    },
  )
  await pause(40)
  const first = await scene.runWell()
  expect(first.laneRows).toEqual({ infinity: 1, neg_infinity: 1 })
  await scene.expectEqual()
  const now = BigInt(await clockUs(scene.at.sourceUrl))
  expect(first.watermarkAfter!.value as bigint).toBeGreaterThan(now - 10_000_000n)
  expect(first.watermarkAfter!.value as bigint).toBeLessThan(now)
  await scene.sql(
    `update t set v = 'changed' where id < 3; insert into t values (4, 'later', 'infinity'), (5, 'later', now())`,
  )
  await pause(40)
  const later = await scene.runWell()
  expect(later.laneRows).toEqual({ infinity: 2, neg_infinity: 1 })
  await scene.expectEqual()
})
