import { expect } from 'vitest'
import { backfillStream, rewindStream } from '../../src/extract/index.ts'
import { positionToJson } from '../../src/kernel/position.ts'
import { formatPosition } from '../../src/kernel/print.ts'
import { freshSqliteFile } from '../support/sqlite-files.ts'
import { caseTest, microseconds, pause, Scene, STAMPED } from './scene.ts'

const BY = { person: 'ada', reason: 'a case' }

caseTest('PREC-1 a border between two microseconds', async (way) => {
  const scene = await Scene.open(
    way,
    `${STAMPED} insert into t values (1, 'a', '2026-03-01 10:00:00.061789Z'), (2, 'b', '2026-03-01 10:00:00.061790Z')`,
    { columns: ['id', 'v', microseconds('at', way)] },
  )
  await scene.runWell()
  await scene.expectEqual()
  const border = '2026-03-01 10:00:00.061790Z'
  await scene.there('delete from t')
  const first = await backfillStream(scene.engine, scene.settings, { from: '2026-03-01', to: border })
  expect(first.counts.rows_read).toBe(1)
  expect((await scene.landed()).map((row) => row[0])).toEqual(['1'])
  const next = await backfillStream(scene.engine, scene.settings, { from: border, to: '2026-03-02' })
  expect(next.counts.rows_read).toBe(1)
  await scene.expectEqual()
  const rewound = await rewindStream(scene.engine, scene.settings, { kind: 'position', text: border }, BY)
  expect(formatPosition(rewound.after)).toBe(border)
})

caseTest('PREC-2 the watermark keeps its digits over a restart', async (way) => {
  const scene = await Scene.open(
    way,
    `${STAMPED} insert into t values (1, 'a', '2026-03-01 10:00:00.999499Z')`,
  )
  await scene.runWell()
  const text = '2026-03-01 10:00:00.999500Z'
  await rewindStream(scene.engine, scene.settings, { kind: 'position', text }, BY)
  await scene.restart()
  expect(formatPosition((await scene.claim())?.watermark)).toBe(text)
  await scene.sql(`insert into t values (2, 'b', '2026-03-01 10:00:00.999700Z')`)
  const result = await scene.runWell()
  expect(formatPosition(result.watermarkBefore)).toBe(text)
  await scene.expectEqual()
})

caseTest('PREC-3 an idle source is not read again', async (way) => {
  const scene = await Scene.open(
    way,
    `${STAMPED} insert into t select g, 'x', now() - interval '1 hour' + g * interval '1 microsecond' from generate_series(1, 5) g`,
  )
  const read: number[] = []
  for (let i = 0; i < 3; i++) {
    const result = await scene.runWell()
    read.push(result.counts.rows_read)
    expect(formatPosition(result.watermarkAfter)).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}Z$/)
    await pause(40)
  }
  expect(read).toEqual([5, 0, 0])
  await scene.expectEqual()
})

caseTest('PREC-4 one row is delivered once, whatever the number of runs', async (way) => {
  const scene = await Scene.open(way, `${STAMPED} insert into t values (1, 'a')`)
  await scene.runOut()
  for (let i = 0; i < 5; i++) {
    await pause(30)
    expect((await scene.runWell()).counts).toMatchObject({ inserted: 0, updated: 0 })
  }
})

const HUGE = `(9007199254740991, 'a'), (9007199254740992, 'b'), (9007199254740993, 'c'), (9223372036854775807, 'd')`

caseTest('PREC-5 neighbours above 2^53, and the largest integer', async (way) => {
  const scene = await Scene.open(
    way,
    `create sequence n; create table t (id bigint primary key default nextval('n'), v text); alter sequence n owned by t.id;
     insert into t values ${HUGE}; select setval('n', 9223372036854775807)`,
    { settings: { position: { column: 'id', stampedBy: 'database' }, appendOnly: true } },
  )
  await neighbours(scene)
})

caseTest('PREC-5 the same in a SQLite file', async (way) => {
  const file = freshSqliteFile('create table t (id integer primary key autoincrement, v text)')
  file.db.exec(`insert into t values ${HUGE}`)
  const scene = await Scene.open(way, '', {
    sourceUrl: file.url,
    table: 'main.t',
    settings: { position: { column: 'id', stampedBy: 'database' }, appendOnly: true },
  })
  await neighbours(scene)
})

async function neighbours(scene: Scene): Promise<void> {
  const first = await scene.runWell()
  expect(positionToJson(first.watermarkAfter!)).toMatchObject({ value: '9223372036854775808' })
  const ids = (await scene.landed()).map((row) => row[0])
  expect(ids).toEqual(['9007199254740991', '9007199254740992', '9007199254740993', '9223372036854775807'])
  await rewindStream(scene.engine, scene.settings, { kind: 'position', text: '9007199254740992' }, BY)
  const again = await scene.runWell()
  expect(again.counts.rows_read).toBe(scene.way.overlap ? 3 : 4)
  expect((await scene.records()).at(-1).watermark_before.value).toBe('9007199254740992')
  expect(again.counts).toMatchObject({ inserted: 0, updated: 0 })
  expect((await scene.landed()).map((row) => row[0])).toEqual(ids)
}

caseTest('PREC-6 a linguistic collation is refused by its name', async (way) => {
  const scene = await Scene.open(
    way,
    `create table t (id bigint primary key, v text, at text collate "en-x-icu"); create index on t (at);
     insert into t values (1, 'x', 'a'), (2, 'x', 'B'), (3, 'x', 'ä'), (4, 'x', 'a ')`,
    { settings: { position: { column: 'at', encoding: 'ulid' } } },
  )
  const refused = await scene.run()
  expect(refused.error).toMatchObject({
    code: 'POSITION_REFUSED',
    message: expect.stringContaining('en-x-icu'),
  })
  expect(await scene.landed()).toEqual([])
  await scene.sql('alter table t alter at type text collate "C"')
  const laned = await scene.runWell()
  expect(laned.laneRows).toEqual({ malformed: 4 })
  await scene.expectEqual()
})
