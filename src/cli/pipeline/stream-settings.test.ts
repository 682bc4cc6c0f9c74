import { expect, test } from 'vitest'
import { parseConfig } from '../../config/parse.ts'
import { DEFAULT_FENCE, DEFAULT_LIMITS } from '../../extract/index.ts'
import { selectStream, selectStreams } from './select-streams.ts'
import { toStreamSettings } from './stream-settings.ts'

function streams(source: string, tables: string) {
  const text = `source: { url: '${source}' }\ndestination: { url: duckdb:x }\ntables:\n${tables}`
  const config = parseConfig(text, { file: 'f', folder: '/', defaultName: 'shop' }, {})
  return config.tables.map((table) => toStreamSettings(config, table))
}

test('defaults are those of the engine', () => {
  const [orders] = streams('postgres://h/d', '  orders:\n')
  expect(orders).toMatchObject({
    stream: 'public.orders',
    catalogKey: 'shop/public.orders',
    table: { schema: 'public', name: 'orders' },
    target: { schema: 'public', name: 'orders' },
    mode: 'upsert',
    nullKeys: 'refuse',
    fence: DEFAULT_FENCE,
    limits: DEFAULT_LIMITS,
    onDestinationWentBack: 'stop',
  })
})

test('what was said replaces them; a table of SQLite is in main', () => {
  const [orders] = streams(
    'sqlite:shop.db',
    '  orders: { as: sales.o, sliceRows: 5, holdMax: never, fence: S1, appendOnly: true }\n',
  )
  expect(orders).toMatchObject({
    stream: 'sales.o',
    table: { schema: 'main', name: 'orders' },
    fence: { ...DEFAULT_FENCE, method: 'S1', holdMaxMs: 'never', appendOnly: true },
    limits: { ...DEFAULT_LIMITS, sliceRows: 5 },
  })
})

test('streams are chosen by any of their names', () => {
  const all = streams('postgres://h/d', '  a.orders: { as: b.copies }\n  b.orders:\n  users:\n')
  expect(selectStream(all, 'a.orders').stream).toBe('b.copies')
  expect(selectStream(all, 'copies').stream).toBe('b.copies')
  expect(selectStreams(all, ['users', 'public.users', 'copies']).map((each) => each.stream)).toEqual([
    'b.copies',
    'public.users',
  ])
  expect(selectStreams(all, [])).toHaveLength(3)
  expect(() => selectStream(all, 'orders')).toThrow('orders could be b.copies or b.orders')
  expect(() => selectStream(all, 'user')).toThrow('the pipeline has no table user')
})

test('after a promotion, rewind alone reads the last failoverOverlap again', () => {
  const [stop, plain, given] = streams(
    'postgres://h/d',
    `  a:\n  b: { onTimelineChange: rewind, failoverOverlap: 5m }\n  c: { onTimelineChange: { rewind: 1h } }\n`,
  )
  expect(stop!.onTimelineChange).toBe('stop')
  expect(plain!.onTimelineChange).toEqual({ rewindUs: 300_000_000n })
  expect(given!.onTimelineChange).toEqual({ rewindUs: 3_600_000_000n })
})
