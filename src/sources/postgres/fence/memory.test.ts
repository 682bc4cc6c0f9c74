import { expect, test } from 'vitest'
import { mapMemory } from '../../../../test/support/fences.ts'
import type { SessionView } from '../../../kernel/sampling/session-view.ts'
import { FenceMemory } from './memory.ts'

const HERE = { systemId: '1', database: 'd', timeline: '00000001' }
const VIEW: SessionView = { raw: 5n, prepared: new Map([['prepared:1/x', undefined]]) }
const GUARD = 1_000n
const at = (t0: number, us: number) => ({
  t0: BigInt(t0),
  monotonic: { beforeUs: BigInt(us), afterUs: BigInt(us) },
})

test('E26: views outlive the process and die with the server, the database and the timeline', async () => {
  const store = mapMemory()
  const first = await FenceMemory.load(store)
  await first.keep(HERE, new Map([['P1', { view: VIEW, steppedUs: 7n }]]))
  const second = await FenceMemory.load(store)
  expect(second.recall(HERE, 'P1')).toEqual({ view: VIEW, steppedUs: 7n })
  for (const other of [{ systemId: '2' }, { database: 'e' }, { timeline: '00000002' }]) {
    expect(second.recall({ ...HERE, ...other }, 'P1')).toBeUndefined()
  }
  await second.keep({ ...HERE, timeline: '00000002' })
  expect(second.recall(HERE, 'P1')).toBeUndefined()
})

test('ZONE-5, E23: steps of the clock add up, between processes and timelines too', async () => {
  const store = mapMemory()
  const first = await FenceMemory.load(store)
  expect(first.readClock(at(10_000_000, 0), GUARD)).toBe(0n)
  expect(first.readClock(at(11_000_500, 1_001_000), GUARD)).toBe(0n)
  expect(first.readClock(at(6_000_500, 1_001_000), GUARD)).toBe(5_000_000n)
  await first.keep(HERE)
  const second = await FenceMemory.load(store)
  expect(second.readClock(at(5_000_500, 99), GUARD)).toBe(6_000_000n)
  expect(second.readClock(at(9_000_000, 99 + 3_999_500), GUARD)).toBe(6_000_000n)
})

test('decrees, counters and passed steps are each table’s own', async () => {
  const memory = await FenceMemory.load(mapMemory())
  const table = { schema: 's', name: 't' }
  const kept = {
    steppedSeenUs: 3n,
    counter: { origin: '1/d/9', value: 12n },
    oldest: { key: 'xid:4', sinceUs: 2n },
    hold: { decreedUs: 8n, passedOver: new Map([['session:1/2/3', 3n]]) },
  }
  await memory.saveTable(table, kept)
  expect(await memory.loadTable(table)).toEqual(kept)
  expect((await memory.loadTable({ schema: 's', name: 'u' })).hold.passedOver.size).toBe(0)
})
