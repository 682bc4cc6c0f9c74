import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isNearOverlap, latenessDepth } from './lateness.ts'
import type { PositionOrder } from './order.ts'
import { runOutcome } from './outcome.ts'
import { decideOverlap, isLatenessMeasured, MIN_LATENESS_SAMPLES } from './overlap.ts'

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
    expect(overlap).toMatchObject({ amount: 300_000_000n, origin: 'default: 0 of 2995 measurements' })
    expect(overlap.learned).toMatchObject({ ruler: 'default', sampleCount: 0 })
  })

  test.each([
    ['quantile', 90n, 80n, {}, 90n],
    ['loss', 90n, 100n, {}, 100n],
    ['late_rows', 90n, 100n, { lateRows: 120n }, 120n],
    ['last_7_days', 90n, 100n, { wantedBefore: 150n }, 150n],
    ['min', 5n, 7n, {}, 60n],
    ['max', 5n, 10n ** 9n, {}, 86_400n],
    ['loss', 90n, 100n, { lateRows: 95n, wantedBefore: 99n }, 100n],
  ] as const)('%s rules (A38)', (ruler, quantile, loss, more, seconds) => {
    const s = (value: bigint): bigint => value * 1_000_000n
    const measured = {
      sampleCount: MIN_LATENESS_SAMPLES,
      quantileValue: s(quantile),
      lossMargin: s(loss),
      ...Object.fromEntries(Object.entries(more).map(([name, value]) => [name, s(value)])),
    }
    const { amount, learned: how, origin } = decideOverlap(order, learned, 'proven', measured, 0n)
    expect(amount).toBe(s(seconds))
    expect(how).toMatchObject({ ruler, quantileValue: s(quantile), lossMargin: s(loss), sampleCount: 2_995 })
    expect(origin).toContain(`p99.9 ${quantile} s, loss margin ${loss} s of 2995 measurements`)
  })

  test('late rows raise the default and never lower it (A34)', () => {
    const few = { sampleCount: 5, quantileValue: 1n, lossMargin: 1n }
    const raised = { ...few, lateRows: 400_000_000n }
    expect(decideOverlap(order, learned, 'proven', raised, 0n)).toMatchObject({
      amount: 400_000_000n,
      origin: 'the deepest late row; default: 5 of 2995 measurements',
    })
    expect(decideOverlap(order, learned, 'proven', { ...few, lateRows: 2n }, 0n).amount).toBe(300_000_000n)
  })

  test('what counts as measured (E19): enough rows, and their p99.9 within settle and overlap', () => {
    const measured = { sampleCount: MIN_LATENESS_SAMPLES, p999: 70n }
    expect(isLatenessMeasured(measured, 30n, 40n)).toBe(true)
    expect(isLatenessMeasured(measured, 30n, 39n)).toBe(false)
    expect(isLatenessMeasured({ ...measured, sampleCount: 2_994 }, 30n, 40n)).toBe(false)
    expect(isLatenessMeasured(undefined, 30n, 40n)).toBe(false)
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
