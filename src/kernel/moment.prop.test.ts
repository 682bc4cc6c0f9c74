import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  floorToGrain,
  formatTemplate,
  lowerBound,
  positionDistance,
  positionToUs,
  usToPosition,
} from './moment.ts'
import type { PositionOrder } from './order.ts'
import { comparePositions } from './position.ts'
import { formatPosition, parsePosition } from './print.ts'

const base = { column: 'c', tick: 1n, grain: 1n, stampedBy: 'database' } as const
const ORDERS: Record<string, PositionOrder> = {
  timestamptz: { ...base, kind: 'timestamptz' },
  seconds: { ...base, kind: 'integer', flavour: 'epoch', unit: 's' },
  millis: { ...base, kind: 'integer', flavour: 'epoch', unit: 'ms' },
  nanos: { ...base, kind: 'integer', flavour: 'epoch', unit: 'ns' },
  iso: { ...base, kind: 'text', encoding: 'iso', template: 'YYYY-MM-DD HH:MM:SS' },
  isoMillis: { ...base, kind: 'text', encoding: 'iso', template: 'YYYY-MM-DDTHH:MM:SS.SSSZ' },
  isoDay: { ...base, kind: 'text', encoding: 'iso', template: 'YYYY-MM-DD' },
  ulid: { ...base, kind: 'text', encoding: 'ulid' },
  uuidv7: { ...base, kind: 'text', encoding: 'uuidv7' },
}
const moment = fc.bigInt({ min: 0n, max: 253_000_000_000_000_000n })

describe.each(Object.entries(ORDERS))('moments of %s (E8)', (_, order) => {
  test('the bound of an instant is never above it, and keeps the order of instants', () => {
    fc.assert(
      fc.property(moment, moment, (a, b) => {
        const [x, y] = [usToPosition(order, a), usToPosition(order, b)]
        expect(positionToUs(order, x)! <= a).toBe(true)
        if (a <= b) expect(comparePositions(x, y)).toBeLessThanOrEqual(0)
      }),
    )
  })

  test('the next run begins at or below watermark minus overlap (E13)', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 10n ** 15n, max: 2n * 10n ** 17n }),
        fc.bigInt({ min: 0n, max: 10n ** 12n }),
        (at, m) => {
          const upper = usToPosition(order, at)
          const lower = lowerBound(order, upper, m)
          expect(comparePositions(lower, upper)).toBeLessThanOrEqual(0)
          expect(positionDistance(order, upper, lower)! >= 0n).toBe(true)
          expect(positionToUs(order, lower)! <= positionToUs(order, upper)! - m).toBe(true)
        },
      ),
    )
  })

  test('what is printed is what is read back', () => {
    fc.assert(
      fc.property(moment, (at) => {
        const position = usToPosition(order, at)
        expect(parsePosition(order, formatPosition(position))).toEqual(position)
      }),
    )
  })
})

describe('grain', () => {
  test('a bound is floored to the grain, not cast (E5)', () => {
    const minute: PositionOrder = { ...base, kind: 'timestamptz', grain: 60_000_000n }
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }), (value) => {
        const floored = floorToGrain(minute, { kind: 'timestamptz', value }).value as bigint
        expect(floored % 60_000_000n).toBe(0n)
        expect(value - floored >= 0n && value - floored < 60_000_000n).toBe(true)
      }),
    )
  })

  test('a text position is floored in its own template', () => {
    const order: PositionOrder = { ...ORDERS.iso!, grain: 60_000_000n }
    expect(floorToGrain(order, { kind: 'text', value: '2026-11-27 10:00:59' })).toEqual({
      kind: 'text',
      value: '2026-11-27 10:00:00',
    })
  })

  test('a counter steps down by rows', () => {
    const order: PositionOrder = { ...base, kind: 'integer', flavour: 'sequence' }
    expect(lowerBound(order, { kind: 'integer', value: 100n }, 10n)).toEqual({ kind: 'integer', value: 90n })
  })
})

test.each([
  ['YYYY-MM-DD HH:MM:SS', '2026-11-27 10:00:05'],
  ['YYYY-MM-DD HH:MM:SS.SSS', '2026-11-27 10:00:05.123'],
  ['YYYY-MM-DDTHH:MM:SSZ', '2026-11-27T10:00:05Z'],
  ['YYYY-MM-DDTHH:MM:SS.SSSSSSZ', '2026-11-27T10:00:05.123456Z'],
  ['YYYY-MM-DD HH:MM', '2026-11-27 10:00'],
  ['YYYY-MM-DD', '2026-11-27'],
])('template %s', (template, text) => {
  expect(formatTemplate(template, 1_795_773_605_123_456n)).toBe(text)
})
