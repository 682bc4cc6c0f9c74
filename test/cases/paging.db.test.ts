import { expect } from 'vitest'
import { caseTest, pause, Scene, STAMPED } from './scene.ts'

const ODD = ['a', 'B', 'c', 'D', 'Ö']

caseTest('PAGE-2 slices over a text position under a linguistic collation', async (way) => {
  const values = ODD.map((value, index) => `(${index}, 'x', '${value}')`).join(', ')
  const scene = await Scene.open(
    way,
    `create table t (id bigint primary key, v text, at text collate "en-x-icu"); create index on t (at); insert into t values ${values}`,
    { settings: { position: { column: 'at', encoding: 'ulid' } } },
  )
  expect((await scene.run()).error).toMatchObject({
    code: 'POSITION_REFUSED',
    message: expect.stringContaining('en-x-icu'),
  })
  expect(await scene.landed()).toEqual([])
})

caseTest('PAGE-2 slices over identifiers that order as bytes', async (way) => {
  const ids = Array.from(
    { length: 9 },
    (_, index) => `(${index}, 'x', '01JD000000${'0'.repeat(15)}${index}')`,
  )
  const scene = await Scene.open(
    way,
    `create table t (id bigint primary key, v text, at text collate "C"); create index on t (at); insert into t values ${ids.join(', ')}; analyze t`,
    {
      settings: {
        position: { column: 'at', encoding: 'ulid', stampedBy: 'database' },
        few: { sliceRows: 2, fullScanMaxRows: 1 },
      },
      columns: ['id', '"at"'],
    },
  )
  const result = await scene.runWell()
  expect(result.counts).toMatchObject({ rows_read: 9, inserted: 9 })
  const [record] = await scene.records()
  const bounds = record.slices.map(({ range }: { range: { lower: unknown; upper: unknown } }) => range)
  expect(bounds.length).toBeGreaterThan(3)
  for (const [index, range] of bounds.entries()) {
    if (index > 0) expect(range.lower).toEqual(bounds[index - 1].upper)
  }
  await scene.expectEqual()
})

caseTest('PAGE-3 the first slice fails', async (way) => {
  const scene = await Scene.open(way, STAMPED, { settings: { few: { sliceRows: 2, fullScanMaxRows: 1 } } })
  await scene.runWell()
  const before = await scene.claim()
  await scene.sql(
    `insert into t select g, 'x', now() + g * interval '1 millisecond' from generate_series(1, 6) g; analyze t`,
  )
  await pause(60)
  let landings = 0
  await scene.reaching((name) => {
    if (name === 'land.merged' && ++landings === 1) throw new Error('the first slice fails')
  })
  await expect(scene.run()).rejects.toThrow('first slice')
  expect((await scene.claim())?.watermark).toEqual(before?.watermark)
  await scene.reaching(() => {})
  expect((await scene.runWell()).counts.inserted).toBe(6)
  await scene.expectEqual()
})
