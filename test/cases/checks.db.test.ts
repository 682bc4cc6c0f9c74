import { expect } from 'vitest'
import { exitCodeOfResults } from '../../src/cli/exit-code.ts'
import { runPipeline } from '../../src/extract/index.ts'
import { caseSettings, caseTest, pause, Scene, STAMPED } from './scene.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e']

/** What a run's results say. The form of the report belongs to the audits. */
caseTest('CHECK-3 the query of one table in five cannot be run', async (way) => {
  const tables = NAMES.filter((name) => name !== 'c').map((name) => STAMPED.replaceAll(' t ', ` ${name} `))
  const scene = await Scene.open(
    way,
    `${tables.join('')} create table base (id bigint, at timestamptz default now()); insert into base values (1);
     create function broken() returns text language plpgsql as $$ begin return no_such_function(); end $$;
     create view c as select id, broken() as v, at from base;
     ${NAMES.filter((name) => name !== 'c')
       .map((name) => `insert into ${name} values (1, 'x');`)
       .join('')}`,
  )
  await pause(40)
  const streams = NAMES.map((name) => ({
    ...caseSettings(`public.${name}`, way),
    ...(name === 'c' ? { key: ['id'] } : {}),
  }))
  const { results } = await runPipeline(scene.engine, streams, 2)
  expect(results.map((result) => result.stream)).toEqual(NAMES.map((name) => `public.${name}`))
  expect(results.map((result) => result.error?.code)).toEqual([
    undefined,
    undefined,
    'SOURCE_FAILED',
    undefined,
    undefined,
  ])
  expect(results[2]).toMatchObject({ outcome: 'failed' })
  expect(results[2]!.error?.message).toContain('no_such_function')
  expect(exitCodeOfResults(results)).toBe(7)
})
