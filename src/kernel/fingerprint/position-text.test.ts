import { expect, test } from 'vitest'
import type { PositionOrder } from '../order.ts'
import type { Position } from '../position.ts'
import { canonicalOfPosition, positionFromCanonical } from './position-text.ts'

const order = (kind: Position['kind'], more: Partial<PositionOrder> = {}): PositionOrder => ({
  column: 'p',
  kind,
  tick: 1n,
  grain: 1n,
  stampedBy: 'unknown',
  ...more,
})
const placeOf = (of: PositionOrder, text: string) => positionFromCanonical(of, text)?.value

test('a position comes back from its text, and text from it', () => {
  const positions: Position[] = [
    { kind: 'timestamptz', value: -62_135_596_800_000_000n },
    { kind: 'timestamp', value: 1_764_339_729_123_456n },
    { kind: 'date', value: -86_400_000_000n },
    { kind: 'integer', value: -7n },
    { kind: 'xid8', value: 18_446_744_073_709_551_615n },
  ]
  for (const position of positions) {
    expect(positionFromCanonical(order(position.kind), canonicalOfPosition(position))).toEqual(position)
  }
})

test('rows without a place have none (E43)', () => {
  for (const kind of ['timestamptz', 'timestamp', 'date'] as const) {
    for (const text of ['N', 'zinfinity', 'z-infinity', '-62135596800000001', 'v8:infinity', 'v3:now']) {
      expect([
        kind,
        text,
        placeOf(order(kind), kind === 'date' && /^-/.test(text) ? '-719163' : text),
      ]).toEqual([kind, text, undefined])
    }
  }
  for (const text of ['N', 'ztext:35', 'zreal:352e30']) {
    expect(placeOf(order('integer'), text)).toBeUndefined()
  }
})

test('a column that was landed as text has the same places', () => {
  expect(placeOf(order('timestamptz'), 'v25:2025-11-28 14:22:09.5+00')).toBe(1_764_339_729_500_000n)
  expect(placeOf(order('timestamptz'), 'v25:0044-03-15 12:00:00+00 BC')).toBeUndefined()
  expect(placeOf(order('date'), 'v10:2024-02-29')).toBe(19_782n * 86_400_000_000n)
  expect(placeOf(order('integer'), 'v2:-7')).toBe(-7n)
  // Beyond 2^63 µs there is no number, yet there is a place.
  expect(placeOf(order('timestamptz'), 'z294276-12-31 23:59:59.999999+00')).toBe(9_224_318_015_999_999_999n)
})

test('texts in the encoding have a place, others have none', () => {
  const iso = order('text', { encoding: 'iso', template: 'YYYY-MM-DD HH:MM:SS.SSS' })
  expect(placeOf(iso, 'v23:2026-01-05 10:00:00.123')).toBe('2026-01-05 10:00:00.123')
  for (const text of [
    'N',
    'v19:2026-01-05 10:00:00',
    'v23:2026-01-05T10:00:00.123',
    'v23:2026-91-05 10:00:00.123',
    'v24:2026-01-05 10:00:00.123\n',
    'v23:2026-01-05 10:00:00x123',
    'zinteger:31',
  ])
    expect([text, placeOf(iso, text)]).toEqual([text, undefined])
  const zulu = order('text', { encoding: 'iso', template: 'YYYY-MM-DDTHH:MM:SSZ' })
  expect(placeOf(zulu, 'v20:2026-01-05T10:00:00Z')).toBe('2026-01-05T10:00:00Z')
  const day = order('text', { encoding: 'iso', template: 'YYYY-MM-DD' })
  expect(placeOf(day, 'v10:2026-01-05')).toBe('2026-01-05')
  const uuid = order('text', { encoding: 'uuidv7' })
  const id = '019a1b2c-3d4e-7f50-8a9b-0c1d2e3f4a5b'
  expect([placeOf(uuid, id), placeOf(uuid, `v36:${id}`)]).toEqual([id, id])
  expect(placeOf(uuid, id.replace('-7', '-4'))).toBeUndefined()
  expect(placeOf(order('text', { encoding: 'ulid' }), 'v26:01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBeDefined()
})
