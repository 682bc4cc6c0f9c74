import { expect } from 'vitest'
import { atMost, caseTest, pause, Scene } from '../cases/scene.ts'

const CUT = {
  'the hour of Kolkata, which begins half past': {
    type: 'timestamptz',
    stamp: (moment: string) => `date_trunc('hour', ${moment}, 'Asia/Kolkata')`,
    position: {},
  },
  'the minute, as an epoch in seconds': {
    type: 'bigint',
    stamp: (moment: string) => `extract(epoch from date_trunc('minute', ${moment}))::bigint`,
    position: { unit: 's' },
  },
} as const

for (const [what, { type, stamp, position }] of Object.entries(CUT)) {
  caseTest(`E5 stamps cut to ${what}: the watermark is not above the next one`, async (way) => {
    const scene = await Scene.open(
      way,
      `create table t (id bigint primary key, v text, at ${type} default ${stamp('now()')}); create index on t (at);
       insert into t select g, 'old', ${stamp(`now() - g * interval '1 hour'`)} from generate_series(1, 30) g`,
      { settings: { position: { column: 'at', stampedBy: 'database', ...position } } },
    )
    await pause(40)
    const result = await scene.runWell()
    const [row] = await scene.sql(
      `insert into t values (99, 'new') returning ${type === 'bigint' ? 'at' : '(extract(epoch from at) * 1000000)::bigint'}`,
    )
    expect(atMost(result, row![0]!)).toBe(true)
  })
}
