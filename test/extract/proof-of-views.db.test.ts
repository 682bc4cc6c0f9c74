import { expect } from 'vitest'
import { caseTest, pause, Scene } from '../cases/scene.ts'

caseTest('E19 a view proves nothing: REFRESH shows rows long after their stamps', async (way) => {
  const scene = await Scene.open(
    way,
    `create table base (id bigint primary key, v text, at timestamptz default now()); insert into base values (1, 'a');
     create materialized view t as select * from base; create index on t (at)`,
    { settings: { key: ['id'] } },
  )
  await pause(60)
  const first = await scene.runWell()
  expect(first.proof).toBe('assumed')
  expect(first.proofReason).toContain('a view')
  await scene.sql(`insert into base values (2, 'b')`)
  await pause(60)
  await scene.runWell()
  await scene.sql('refresh materialized view t')
  expect((await scene.runWell()).alarms.map(({ name }) => name)).not.toContain('proof_contradicted')
})
