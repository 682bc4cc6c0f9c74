import { expect } from 'vitest'
import { backfillStream, planStream } from '../../src/extract/index.ts'
import { postgresServers } from '../support/servers.ts'
import { freshSqliteFile } from '../support/sqlite-files.ts'
import { ask, atMost, caseTest, clockUs, microseconds, pause, Scene, STAMPED } from './scene.ts'

const SECONDS = `create table t (id bigint primary key, v text, at timestamptz(0) default date_trunc('second', clock_timestamp())); create index on t (at);`

caseTest('TIE-1 a row of the second in which a run took place', async (way) => {
  const scene = await Scene.open(way, SECONDS, {
    settings: { position: { column: 'at', stampedBy: 'database', grain: 1_000_000n } },
  })
  await untilFraction(scene.at.sourceUrl, 0.1)
  const [[stamp]] = (await scene.sql(
    `insert into t values (1) returning (extract(epoch from at) * 1000000)::bigint`,
  )) as [[string]]
  const first = await scene.runWell()
  expect(atMost(first, stamp)).toBe(true)
  await scene.sql(`insert into t values (2, 'same second')`)
  const [[stamps]] = (await scene.sql('select count(distinct at) from t')) as [[string]]
  expect(stamps).toBe('1')
  await scene.runOut()
})

caseTest('TIE-2 every range is half-open', async (way) => {
  const scene = await Scene.open(way, `${STAMPED} insert into t values (1)`)
  await pause(40)
  await scene.runWell()
  await pause(40)
  const plan = await planStream(scene.engine, scene.settings)
  expect(plan.obstacles).toEqual([])
  expect(plan.sql[0]).toMatch(/"at" >= '[^']+'/)
  expect(plan.sql[0]).toMatch(/"at" < '[^']+'/)
  expect(plan.sql[0]!.split(' WHERE ')[1]).not.toMatch(/"at" (>|<=) /)
})

caseTest('TIE-3 a second row of the same stamp, and an idle run', async (way) => {
  const scene = await Scene.open(way, STAMPED)
  const second = await scene.session()
  await second.query('begin')
  const { rows } = await second.query('select now()::text as stamp')
  await scene.sql(`insert into t values (1, 'first', '${rows[0].stamp}')`)
  const held = await scene.runWell()
  expect(held.counts.late).toBe(0)
  await second.query(`insert into t values (2, 'second')`)
  await second.query('commit')
  await scene.runOut()
  expect((await scene.sql('select count(distinct at) from t'))[0]).toEqual(['1'])
  const idle = await scene.runWell()
  expect(idle.counts).toMatchObject({ inserted: 0, updated: 0 })
  expect(await scene.landed()).toHaveLength(2)
})

caseTest('TIE-4 dead after the first page of three rows of one stamp', async (way) => {
  for (const at of ['land.merged', 'land.staged'] as const) {
    const scene = await Scene.open(
      way,
      `${STAMPED} insert into t select g, 'x', now() - interval '1 hour' from generate_series(1, 3) g; analyze t;`,
      { settings: { few: { sliceRows: 2, fullScanMaxRows: 1 } } },
    )
    await scene.reaching((name) => {
      if (name === at) throw new Error('dead')
    })
    await expect(scene.run()).rejects.toThrow('dead')
    expect((await scene.claim())?.watermark).toBeUndefined()
    await scene.reaching(() => {})
    await scene.runOut()
    expect(await scene.landed()).toHaveLength(3)
  }
})

caseTest('TIE-4 the same in pages of a SQLite file', async (way) => {
  const { url, db } =
    freshSqliteFile(`create table t (id integer primary key, v text, at text); create index i on t (at);
    insert into t values (1, 'a', '2026-01-05 10:00:00'), (2, 'b', '2026-01-05 10:00:00'), (3, 'c', '2026-01-05 10:00:00')`)
  const scene = await Scene.open(way, '', {
    sourceUrl: url,
    table: 'main.t',
    settings: { few: { pageRows: 2 }, position: { column: 'at', stampedBy: 'database' } },
  })
  await scene.reaching((name) => {
    if (name === 'read.page_done') throw new Error('dead')
  })
  await expect(scene.run()).rejects.toThrow('dead')
  expect((await scene.claim())?.watermark).toBeUndefined()
  await scene.reaching(() => {})
  await scene.runWell()
  expect(await scene.landed()).toEqual([
    ['1', 'a'],
    ['2', 'b'],
    ['3', 'c'],
  ])
  db.close()
})

/** A zone whose day ends in so many seconds: what happens at midnight can be waited for. */
async function zoneNearMidnight(url: string, seconds: number): Promise<string> {
  const [[zone]] = (await ask(
    url,
    `select '<X>-' || to_char(make_interval(secs => ((${86_400 - seconds} - extract(epoch from (clock_timestamp() at time zone 'UTC')::time)::int) % 86400 + 86400) % 86400), 'HH24:MI:SS')`,
  )) as [[string]]
  return zone
}

caseTest('TIE-5 a day closes at midnight of its zone', async (way) => {
  const zone = await zoneNearMidnight(postgresServers()[0]!.url, 3)
  const today = `(clock_timestamp() at time zone '${zone}')::date`
  const scene = await Scene.open(
    way,
    `create table t (id bigint primary key, v text, at date); create index on t (at); insert into t values (1, 'A', ${today})`,
    {
      settings: { position: { column: 'at', stampedBy: 'database', zone, grain: 86_400_000_000n } },
      columns: ['id', 'v', '"at"'],
    },
  )
  const [[day]] = (await scene.sql('select (extract(epoch from at) * 1000000)::bigint from t')) as [[string]]
  const blind = await scene.runWell({ peek: false })
  expect(String(blind.watermarkAfter?.value)).toBe(day)
  expect(await scene.landed()).toEqual([])
  const first = await scene.runWell()
  expect(String(first.watermarkAfter?.value)).toBe(day)
  expect(first.peekRows).toBe(1)
  expect(await scene.landed()).toHaveLength(1)
  await scene.sql(`insert into t select 2, 'B', at from t where id = 1`)
  await untilTrue(
    scene.at.sourceUrl,
    `${today} > (select max(at) from t) and (clock_timestamp() at time zone '${zone}')::time > '00:00:00.1'`,
  )
  const next = await scene.runWell({ peek: false })
  expect(String(next.watermarkAfter?.value)).toBe(String(BigInt(day) + 86_400_000_000n))
  await scene.expectEqual()
})

caseTest('TIE-6 many rows of one stamp, whatever the page', async (way) => {
  for (const pageRows of [10, 25]) {
    const scene = await Scene.open(
      way,
      `${STAMPED} insert into t select g, 'x', now() - interval '1 hour' from generate_series(1, 25) g; analyze t;`,
      {
        settings: { few: { sliceRows: pageRows, fullScanMaxRows: 1, pageRows } },
        columns: ['id', microseconds('at', way)],
      },
    )
    const result = await scene.runWell()
    expect(result.counts.rows_read).toBe(25)
    await scene.expectEqual()
    const file = freshSqliteFile(
      'create table t (id integer primary key, v text, at text); create index i on t (at)',
    )
    const insert = file.db.prepare("insert into t values (?, 'x', '2026-01-05 10:00:00')")
    for (let id = 1; id <= 25; id++) insert.run(id)
    const lite = await Scene.open(way, '', {
      sourceUrl: file.url,
      table: 'main.t',
      settings: {
        few: { pageRows, sliceRows: pageRows, fullScanMaxRows: 1 },
        position: { column: 'at', stampedBy: 'database' },
      },
    })
    expect((await lite.runWell()).counts.rows_read).toBe(25)
    expect(await lite.landed()).toHaveLength(25)
  }
})

caseTest('TIE-7 a row at the border of two ranges', async (way) => {
  const scene = await Scene.open(
    way,
    `${STAMPED} insert into t values (1, 'below', '2026-03-01 10:04:59.999999Z'), (2, 'at', '2026-03-01 10:05:00Z')`,
  )
  await scene.runWell()
  const rows = async (from: string, to: string) =>
    (await backfillStream(scene.engine, scene.settings, { from, to })).counts.rows_read
  expect(await rows('2026-03-01 10:00:00Z', '2026-03-01 10:05:00Z')).toBe(1)
  expect(await rows('2026-03-01 10:05:00Z', '2026-03-01 10:10:00Z')).toBe(1)
  await scene.expectEqual()
})

/** Waits for the first tenths of a second, so that what follows fits into it. */
async function untilFraction(url: string, most: number): Promise<void> {
  for (;;) {
    const fraction = Number((await clockUs(url)).slice(-6)) / 1_000_000
    if (fraction < most) return
    await pause((1 - fraction) * 1_000)
  }
}

async function untilTrue(url: string, condition: string): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if ((await ask(url, `select ${condition}`))[0]![0] === 't') return
    await pause(50)
  }
}
