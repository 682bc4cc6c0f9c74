import { expect } from 'vitest'
import { planStream, rewindStream } from '../../src/extract/index.ts'
import { caseTest, pause, Scene, STAMPED } from '../cases/scene.ts'

const BY = { person: 'ada', reason: 'a test' }

caseTest('E60 a destination without the claim goes on in a new generation', async (way) => {
  const scene = await Scene.open(way, `${STAMPED} insert into t values (1, 'a')`)
  await scene.runOut()
  const { schema, name } = scene.settings.target
  await scene.there(`drop table ${schema}.${name}`)
  await scene.there(`delete from ${way.destination === 'duckdb' ? 'main' : 'plimsoll'}.plimsoll_claim`)
  expect((await scene.run()).error?.code).toBe('DESTINATION_WENT_BACK')
  const rewound = await scene.runWell({ onDestinationWentBack: 'rewind' })
  expect(rewound.generation).toBe(2)
  await scene.runOut()
  const facts = JSON.parse((await scene.claim())!.facts)
  expect(facts).toMatchObject({ cause: 'destination_went_back', parent: 1 })
})

caseTest('E39, E70 a rewind forgets no decree', async (way) => {
  const scene = await Scene.open(way, STAMPED, {
    settings: { fence: { holdMaxMs: 500, fenceWaitMs: 60 } },
  })
  await scene.runWell()
  const writer = await scene.session()
  await writer.query(`begin; insert into t values (1, 'a'), (2, 'a')`)
  await scene.sql(`insert into t values (3, 'b')`)
  await pause(700)
  await scene.runWell()
  await pause(100)
  await scene.runWell()
  expect(await scene.landed()).toEqual([['3', 'b']])
  await rewindStream(scene.engine, scene.settings, { kind: 'destination' }, BY)
  await writer.query('commit')
  await pause(60)
  await scene.runOut()
})

caseTest('E41 a late row of a generation’s first run contradicts nobody', async (way) => {
  const scene = await Scene.open(
    { ...way, overlap: { kind: 'fixed', amount: 60_000_000n } },
    `${STAMPED} insert into t values (1, 'a'), (2, 'b')`,
  )
  await scene.runOut()
  const { schema, name } = scene.settings.target
  await scene.there(`delete from ${schema}.${name} where id = 1`)
  await rewindStream(scene.engine, scene.settings, { kind: 'destination' }, BY)
  await pause(40)
  const again = await scene.runWell()
  expect(again.counts.late).toBe(1)
  expect(again).toMatchObject({ proof: 'proven', alarms: [] })
})

caseTest('E68 a rewind to a position keeps the order of the position', async (way) => {
  const scene = await Scene.open(
    way,
    `${STAMPED} alter table t add column seen timestamptz default now(); insert into t values (1, 'a')`,
  )
  await scene.runOut()
  await rewindStream(scene.engine, scene.settings, { kind: 'destination' }, BY)
  const other = { position: { column: 'seen', stampedBy: 'database', grain: 1n } } as const
  expect((await scene.run(other)).error?.code).toBe('POSITION_TYPE_CHANGED')
  await scene.runWell()
})

caseTest(
  'E60 a plan says what a run would stop at: rows, table or claim gone from the destination',
  async (way) => {
    const scene = await Scene.open(way, `${STAMPED} insert into t values (1, 'a')`)
    const obstacles = async (more = {}) => {
      const plan = await planStream(scene.engine, { ...scene.settings, ...more })
      return plan.obstacles.map(({ code }) => code)
    }
    expect(await obstacles()).toEqual([])
    await scene.runOut()
    expect(await obstacles()).toEqual([])
    const { schema, name } = scene.settings.target
    await scene.there(`delete from ${schema}.${name}`)
    expect(await obstacles()).toEqual(['DESTINATION_WENT_BACK'])
    const rewind = { onDestinationWentBack: 'rewind' } as const
    expect(await obstacles(rewind)).toEqual([])
    const again = await planStream(scene.engine, { ...scene.settings, ...rewind })
    expect(again.range).toMatchObject({ lower: undefined })
    await scene.there(`drop table ${schema}.${name}`)
    expect(await obstacles()).toEqual(['DESTINATION_WENT_BACK'])
    await scene.there(`delete from ${way.destination === 'duckdb' ? 'main' : 'plimsoll'}.plimsoll_claim`)
    expect(await obstacles()).toEqual(['DESTINATION_WENT_BACK'])
  },
)
