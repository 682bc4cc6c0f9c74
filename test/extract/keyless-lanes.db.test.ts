import { expect } from 'vitest'
import { caseTest, pause, Scene } from '../cases/scene.ts'

caseTest('E43 rows without a place are delivered from a table without key', async (way) => {
  const scene = await Scene.open(
    way,
    `create table t (id bigint, v text, at timestamptz default now()); create index on t (at);
     insert into t values (1, 'a', null), (1, 'a', null), (2, 'b', now() + interval '1 hour'), (3, 'c', now())`,
    { settings: { appendOnly: true } },
  )
  await pause(60)
  const first = await scene.runWell()
  expect(first.laneRows).toEqual({ null: 2, future: 1 })
  await pause(60)
  await scene.runOut()
  const few = { limits: { ...scene.settings.limits, laneMaxRows: 1 } }
  expect((await scene.runWell(few)).alarms.map(({ name }) => name)).toContain('lane_growing')
})
