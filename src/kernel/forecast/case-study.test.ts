import { describe, expect, test } from 'vitest'
import { boundPerBoundary } from './evidence.ts'
import { exponentialLaw, paretoLaw } from './families.ts'
import { inFlight, lostByClockBound, lostByDataMark } from './late-commits.ts'
import { pageBoundary, runBoundary } from './ties.ts'

/** The published case of load-forecast section 8, soberly: 914 rows lost on a day of 41,300. */
const DAY = 86_400
const ORDINARY = 6_575 / DAY
const BUSY_ROWS = 41_300
const PEAK = 3.4
const LOST = 914

/** What is left of the busy day beside `hours` at the peak. */
const restRate = (hours: number): number => (BUSY_ROWS - hours * 3600 * PEAK) / (DAY - hours * 3600)

describe('the case study', () => {
  test('ties at run boundaries cannot explain it (L32)', () => {
    expect((PEAK / ORDINARY).toFixed(2)).toBe('44.68')
    expect((BUSY_ROWS / PEAK / 3600).toFixed(2)).toBe('3.37')
    const lost = 3 * runBoundary(PEAK).expected + 21 * runBoundary(restRate(3)).expected
    expect(lost.toFixed(2)).toBe('2.97')
    expect(Math.round(LOST / 24)).toBe(38)
  })

  test('page boundaries can, and then ordinary days lose rows too (L33)', () => {
    const perDay = (hours: number): number => {
      const peakRows = hours * 3600 * PEAK
      return peakRows * pageBoundary(PEAK) + (BUSY_ROWS - peakRows) * pageBoundary(restRate(hours))
    }
    const longest = BUSY_ROWS / PEAK / 3600
    const limits = [perDay(2) / LOST, (BUSY_ROWS * pageBoundary(PEAK)) / LOST]
    expect(limits.map(Math.round)).toEqual([47, 77])
    expect(limits.map((limit) => Math.round(BUSY_ROWS / limit))).toEqual([870, 538])
    expect(longest).toBeGreaterThan(2)
    const ordinary = limits.map((limit) => (6_575 / limit) * pageBoundary(ORDINARY))
    expect(ordinary.map((rows) => rows.toFixed(1))).toEqual(['5.3', '3.3'])
    expect(ordinary.map((rows) => Math.round((rows * 411) / 5) * 5)).toEqual([2_165, 1_340])
    const still = ordinary.map((rows) => rows * 90 * (1 - Math.exp(-411 / 90)))
    expect(still.map((rows) => Math.round(rows / 10) * 10)).toEqual([470, 290])
  })

  test('late commits can, with a mean lateness of about 90 s in peak runs (L34)', () => {
    const mean = (hours: number): number => LOST / (hours * PEAK)
    expect([3, 2, BUSY_ROWS / PEAK / 3600].map((hours) => Math.round(mean(hours)))).toEqual([90, 134, 80])
    const perRun = lostByDataMark(PEAK, exponentialLaw(mean(3)), 0, 3600)
    expect(perRun).toBeLessThan(LOST / 3)
    expect(perRun).toBeGreaterThan(0.9 * (LOST / 3))
  })

  test('what the fix covers: all but 208 rows a year at Pareto 1.5 (L35)', () => {
    expect(Math.round(lostByClockBound(PEAK, paretoLaw(1.5, 0.2), 330, 3600) * 24 * 365)).toBe(208)
    expect(inFlight(PEAK, paretoLaw(1.5, 0.2), 330)).toBeGreaterThan(0)
  })

  test('411 quiet runs were never evidence of safety (L36)', () => {
    const { expected, probability } = runBoundary(ORDINARY)
    expect(boundPerBoundary(411).toFixed(4)).toBe('0.0073')
    expect(Math.round(boundPerBoundary(411) / probability)).toBe(8)
    expect((411 * expected).toFixed(3)).toBe('0.389')
    expect(Math.round(100 * (1 - (1 - probability) ** 411))).toBe(32)
    expect((411 * 24 * expected).toFixed(2)).toBe('9.34')
    expect([Math.sqrt(402 / LOST), 402 / LOST].map((share) => share.toFixed(2))).toEqual(['0.66', '0.44'])
  })
})
