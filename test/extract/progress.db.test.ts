import { expect } from 'vitest'
import { type ExtractEvent, runStream } from '../../src/extract/index.ts'
import { caseTest, Scene } from '../cases/scene.ts'

caseTest('while a slice is read its bytes are told, at most four times a second', async (way) => {
  const scene = await Scene.open(
    way,
    `create table t (id bigint primary key, v text, at timestamptz default now());
     create index on t (at);
     insert into t select g, repeat('x', 500), now() - interval '1 hour' from generate_series(1, 200000) g; analyze t`,
  )
  const events: ExtractEvent[] = []
  const engine = { ...scene.engine, emit: (event: ExtractEvent) => void events.push(event) }
  const began = performance.now()
  const { error, counts } = await runStream(engine, scene.settings)
  expect(error).toBeUndefined()
  const told = events.filter((event) => event.kind === 'bytes')
  expect(told.length).toBeGreaterThan(0)
  expect(told.length).toBeLessThanOrEqual((performance.now() - began) / 250)
  expect(told.reduce((sum, { byteSize }) => sum + byteSize, 0)).toBeLessThanOrEqual(counts.bytes_read)
  expect(events.findIndex(({ kind }) => kind === 'bytes')).toBeLessThan(
    events.findIndex(({ kind }) => kind === 'slice_landed'),
  )
})
