import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { empiricalLaw } from './empirical-law.ts'
import { exponentialLaw, lognormalLaw, paretoLaw } from './families.ts'
import { inFlight, lostByClockBound, lostByDataMark } from './late-commits.ts'
import { beyond, type LatenessLaw, meanLateness, phi, stretched } from './law.ts'
import { normalBelow } from './normal.ts'

const six = (value: number): string => Number(value.toPrecision(6)).toString()
const heavy = paretoLaw(1.5, 0.2)
const broad = lognormalLaw(0, 1.5)

describe('a mark that is the largest position seen: the table of load-forecast L30', () => {
  test.each<[string, LatenessLaw, number, number, number, string, string]>([
    ['exponential 0.5', exponentialLaw(0.5), 0.08, 0, 600, '0.000774292', '0.000774292'],
    ['exponential 2', exponentialLaw(2), 0.08, 0, 3600, '0.011314', '0.011314'],
    ['exponential 2', exponentialLaw(2), 3.4, 0, 600, '4.15386', '4.15386'],
    ['exponential 2', exponentialLaw(2), 3.4, 4, 600, '0.562164', '0.562164'],
    ['exponential 11', exponentialLaw(11), 3.4, 0, 3600, '30.3841', '30.3841'],
    ['exponential 30', exponentialLaw(30), 3.4, 0, 60, '77.8182', '89.9982'],
    ['exponential 30', exponentialLaw(30), 3.4, 60, 60, '10.5316', '12.1799'],
    ['Pareto', heavy, 3.4, 0, 3600, '0.812594', '0.82273'],
    ['Pareto', heavy, 3.4, 10, 3600, '0.176301', '0.186423'],
    ['lognormal', broad, 3.4, 0, 600, '8.35115', '8.36054'],
    ['lognormal', broad, 3.4, 10, 600, '2.78012', '2.78917'],
  ])('%s, case %#', (_name, law, rate, overlap, period, expected, atOnce) => {
    expect(six(lostByDataMark(rate, law, overlap, period))).toBe(expected)
    expect(six(lostByDataMark(rate, law, overlap, Number.POSITIVE_INFINITY))).toBe(atOnce)
  })

  test('light load: (λτ)²/2; heavy load: λG(m) (L10)', () => {
    const light = lostByDataMark(0.001, exponentialLaw(1), 0, 1e6)
    expect(light / (0.001 ** 2 / 2)).toBeCloseTo(1, 2)
    const law = exponentialLaw(30)
    expect(lostByDataMark(1e4, law, 20, 1e6) / inFlight(1e4, law, 20)).toBeCloseTo(1, 2)
    expect(lostByDataMark(0, law, 0, 60)).toBe(0)
  })
})

describe('ranges bounded by a clock: the table of load-forecast L31', () => {
  test.each<[string, LatenessLaw, number, number, string]>([
    ['exponential 11', exponentialLaw(11), 0, 3600, '37.4'],
    ['exponential 30', exponentialLaw(30), 30, 3600, '37.5237'],
    ['exponential 30', exponentialLaw(30), 25, 60, '38.3297'],
    ['exponential 30', exponentialLaw(30), 60, 60, '11.936'],
    ['Pareto', heavy, 20, 3600, '0.125891'],
    ['Pareto', heavy, 330, 3600, '0.023779'],
    ['Pareto 2.5', paretoLaw(2.5, 0.2), 5, 60, '0.00354929'],
    ['lognormal', broad, 5, 600, '4.55057'],
    ['lognormal', broad, 30, 600, '1.11877'],
  ])('%s, case %#', (_name, law, margin, period, expected) => {
    expect(six(lostByClockBound(3.4, law, margin, period))).toBe(expected)
  })

  test('hourly runs for a year', () => {
    expect(six(lostByClockBound(3.4, heavy, 330, 3600) * 24 * 365)).toBe('208.304')
  })

  test('without a mean no margin helps, yet one run loses a finite number', () => {
    const law = paretoLaw(0.8, 0.2)
    expect(beyond(law, 1e9)).toBe(Number.POSITIVE_INFINITY)
    expect(lostByClockBound(3.4, law, 330, 3600)).toBeGreaterThan(0)
    expect(lostByClockBound(3.4, law, 330, 3600)).toBeLessThan(3.4 * 3600)
    const edge = paretoLaw(1, 0.2)
    expect(lostByClockBound(1, edge, 0.1, 1)).toBeCloseTo(0.1 + 0.2 * Math.log(1.1 / 0.2), 12)
    expect(Number.isFinite(lostByDataMark(3.4, law, 0, 60))).toBe(true)
  })
})

describe('measurements as a law (L13)', () => {
  test('0.2, 1, 3, 40, 95 s in an hour: 0.0194444 rows a run', () => {
    const law = empiricalLaw([0.2, 1, 3, 40, 95].map((seconds) => ({ seconds, count: 1 })))!
    expect(six(lostByClockBound(5 / 3600, law, 30, 60))).toBe('0.0194444')
    expect(empiricalLaw([])).toBeUndefined()
  })

  test('equals the sum over the measurements, and E₃ never exceeds E₄', () => {
    const seconds = fc.double({ min: 0, max: 1000, noNaN: true })
    fc.assert(
      fc.property(fc.array(seconds, { minLength: 1, maxLength: 60 }), seconds, seconds, (all, c, p) => {
        const law = empiricalLaw(all.map((each) => ({ seconds: each, count: 1 })))!
        const sum = all.reduce((total, each) => total + Math.min(Math.max(each - c, 0), p), 0)
        const clock = lostByClockBound(all.length, law, c, p)
        expect(clock).toBeCloseTo(sum, 6)
        expect(lostByDataMark(all.length, law, c, p)).toBeLessThanOrEqual(clock * (1 + 1e-9) + 1e-9)
      }),
    )
  })

  test('many measurements of a law answer as the law', () => {
    const n = 20_000
    const law = exponentialLaw(30)
    const measured = Array.from({ length: n }, (_, i) => ({
      seconds: -30 * Math.log((i + 0.5) / n),
      count: 1,
    }))
    const found = empiricalLaw(measured)!
    expect(lostByClockBound(3.4, found, 60, 60) / lostByClockBound(3.4, law, 60, 60)).toBeCloseTo(1, 3)
    expect(lostByDataMark(3.4, found, 60, 60) / lostByDataMark(3.4, law, 60, 60)).toBeCloseTo(1, 3)
  })
})

describe('families', () => {
  test.each<[string, LatenessLaw, number]>([
    ['exponential', exponentialLaw(30), 30],
    ['Pareto', heavy, 0.6],
    ['lognormal', broad, Math.exp(1.125)],
    ['stretched', stretched(exponentialLaw(10), 3), 30],
  ])('%s: tail, its integral and its mean belong together', (_name, law, mean) => {
    expect(meanLateness(law)).toBeCloseTo(mean, 10)
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 500, noNaN: true }), (x) => {
        const h = x * 1e-4
        expect(law.between(x - h, x + h) / (2 * h) / law.tail(x) - 1).toBeCloseTo(0, 2)
        expect(law.between(0, x) + beyond(law, x)).toBeCloseTo(mean, 9)
        expect(phi(law, x)).toBeGreaterThanOrEqual(-1e-12)
      }),
    )
  })

  test('ages are length-biased: right for λG, wrong for quantiles (L27)', () => {
    const law = paretoLaw(2.5, 0.2)
    expect((beyond(law, 1) / meanLateness(law)).toPrecision(4)).toBe('0.03578')
    expect(law.tail(1).toPrecision(4)).toBe('0.01789')
    expect(inFlight(3.4, exponentialLaw(2))).toBeCloseTo(6.8, 12)
    expect(six(inFlight(3.4, exponentialLaw(2), 4))).toBe('0.92028')
  })

  test.each([
    [0, 0.5],
    [1, 0.841344746068543],
    [1.959963984540054, 0.975],
    [-3, 0.00134989803163009],
    [2.5, 0.993790334674224],
    [3.090232306167813, 0.999],
    [-6, 9.86587645037698e-10],
    [8, 1],
  ])('the normal distribution function at %f', (x, value) => {
    expect(Math.abs(normalBelow(x) - value)).toBeLessThan(1e-13)
  })
})
