import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isNearOverlap, latenessDepth } from './lateness.ts'
import type { PositionOrder } from './order.ts'
import { runOutcome } from './outcome.ts'
import { decideOverlap, MIN_LATENESS_SAMPLES } from './overlap.ts'

const order: PositionOrder = {
  column: 'c',
  kind: 'timestamptz',
  tick: 1n,
  grain: 1_000_000n,
  stampedBy: 'database',
}
const learned = { kind: 'learned', quantile: 0.999, min: 60_000_000n, max: 86_400_000_000n } as const

describe('overlap (E40)', () => {
  test('without measurements a learned policy falls back to the default', () => {
    const overlap = decideOverlap(order, learned, 'proven', undefined, 0n)
    expect(overlap).toEqual({ amount: 300_000_000n, origin: 'default: 0 of 2995 measurements' })
  })

  test('learned stays within min and max whatever is measured, rounded up to the grain', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 13n }),
        fc.bigInt({ min: 0n, max: 10n ** 13n }),
        (quantileValue, lossMargin) => {
          const measured = { sampleCount: MIN_LATENESS_SAMPLES, quantileValue, lossMargin }
          const { amount } = decideOverlap(order, learned, 'proven', measured, 0n)
          expect(amount >= learned.min && amount <= learned.max).toBe(true)
          expect(amount % order.grain).toBe(0n)
          const wanted = quantileValue > lossMargin ? quantileValue : lossMargin
          if (wanted <= learned.max) expect(amount >= wanted).toBe(true)
        },
      ),
    )
  })

  test('below one grain only under a proven fence', () => {
    const none = { kind: 'fixed', amount: 0n } as const
    expect(decideOverlap(order, none, 'proven', undefined, 0n).amount).toBe(0n)
    expect(decideOverlap(order, none, 'assumed', undefined, 0n).amount).toBe(order.grain)
  })

  test.each([
    [{ ...order, kind: 'date' } as PositionOrder, 86_400_000_000n],
    [{ ...order, kind: 'integer', flavour: 'sequence', grain: 1n } as PositionOrder, 10_000n],
    [{ ...order, kind: 'xid8', grain: 1n } as PositionOrder, 0n],
  ])('default of a %s', (each, amount) => {
    expect(decideOverlap(each, undefined, 'assumed', undefined, 0n).amount).toBe(amount)
  })

  test('a clock step or a coarser grain widens it once, and says so', () => {
    const overlap = decideOverlap(order, { kind: 'fixed', amount: 5n * 10n ** 6n }, 'proven', undefined, 7n)
    expect(overlap).toEqual({ amount: 5_000_007n, origin: 'fixed, widened by 7' })
  })
})

describe('late rows (E42)', () => {
  test('a row at 0.81 of the overlap alarms, at 0.79 not', () => {
    expect(isNearOverlap(81n, 100n)).toBe(true)
    expect(isNearOverlap(79n, 100n)).toBe(false)
    expect(isNearOverlap(5n, 0n)).toBe(false)
  })

  test('depth is old watermark minus position', () => {
    expect(
      latenessDepth(order, { kind: 'timestamptz', value: 10n }, { kind: 'timestamptz', value: 3n }),
    ).toBe(7n)
  })
})

describe('outcome (E15): every combination has one', () => {
  test.each([
    [true, 5, false, 'advanced'],
    [true, 0, false, 'empty'],
    [false, 0, false, 'held'],
    [false, 5, false, 'held'],
    [true, 5, true, 'partial'],
    [false, 0, true, 'partial'],
  ] as const)('moved %s, %i rows, unfinished %s: %s', (watermarkMoved, rowsRead, unfinished, outcome) => {
    expect(runOutcome({ watermarkMoved, rowsRead, unfinished })).toBe(outcome)
  })
})
