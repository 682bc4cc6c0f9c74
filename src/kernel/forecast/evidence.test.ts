import { describe, expect, test } from 'vitest'
import { binomialBound, boundariesToSee, boundPerBoundary, samplesNeeded } from './evidence.ts'

const six = (value: number): string => value.toPrecision(6)

describe('evidence', () => {
  test.each([
    [0.9, 29],
    [0.99, 299],
    [0.999, 2_995],
    [0.9999, 29_956],
  ])('a quantile of %f needs %i measurements (L24)', (quantile, needed) => {
    expect(samplesNeeded(quantile)).toBe(needed)
  })

  test.each([
    [3, '0.631597'],
    [10, '0.258866'],
    [30, '0.0950339'],
    [100, '0.0295130'],
    [299, '0.00996915'],
    [411, '0.00726239'],
    [1_000, '0.00299125'],
    [2_995, '0.000999744'],
    [3_223, '0.000929054'],
    [9_864, '0.000303657'],
  ])('%i boundaries without a loss (L25)', (boundaries, bound) => {
    expect(six(boundPerBoundary(boundaries))).toBe(bound)
  })

  test('with one loss 4.74/n, with two 6.30/n (L25)', () => {
    expect((boundPerBoundary(100_000, 1) * 100_000).toFixed(2)).toBe('4.74')
    expect((boundPerBoundary(100_000, 2) * 100_000).toFixed(2)).toBe('6.30')
    expect(boundPerBoundary(3, 3)).toBe(1)
  })

  test('boundaries to see a fault (L26)', () => {
    expect(boundariesToSee(0.000929289)).toBe(3_223)
    expect(boundariesToSee(0.464769)).toBe(5)
    expect(boundariesToSee(1)).toBe(1)
    expect(() => boundariesToSee(0)).toThrow()
  })

  test('a binomial count that 99.9 % of days stay below (A40)', () => {
    const chanceAbove = (n: number, p: number, bound: number): number => {
      let term = (1 - p) ** n
      let below = term
      for (let k = 1; k <= bound; k++) below += term *= ((n - k + 1) / k) * (p / (1 - p))
      return 1 - below
    }
    for (const n of [10, 100, 1_000, 5_000]) {
      const bound = binomialBound(n, 0.01, 0.001)
      expect(chanceAbove(n, 0.01, bound)).toBeLessThanOrEqual(0.001)
      expect(chanceAbove(n, 0.01, bound - 1)).toBeGreaterThan(0.001)
    }
    const many = binomialBound(10_000_000, 0.01, 0.001)
    expect((many - 100_000) / Math.sqrt(99_000)).toBeCloseTo(3.09, 1)
    expect(binomialBound(0, 0.01, 0.001)).toBe(0)
    expect(binomialBound(5, 1, 0.001)).toBe(5)
  })
})
