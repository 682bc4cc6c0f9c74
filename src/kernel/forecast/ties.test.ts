import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { boundariesToSee } from './evidence.ts'
import { loadExponent } from './load-exponent.ts'
import {
  inClusters,
  pageBoundary,
  pageBoundaryFrom,
  runBoundary,
  runBoundaryAtPhase,
  runBoundaryExponent,
  tieCensus,
  tiedPairsPerDay,
  tiedShare,
} from './ties.ts'

const six = (value: number): string => Number(value.toPrecision(6)).toString()
const DAY = 86_400

describe('ties, as the table of load-forecast L29 prints them', () => {
  test.each([
    [
      6_575 / DAY,
      '0.073276',
      '250.177',
      '0.000947103',
      '0.000929289',
      '0.0227305',
      '0.0380498',
      1.9812,
      3_223,
    ],
    [0.08, '0.0768837', '276.48', '0.00104567', '0.00102501', '0.0250961', '0.04', 1.9802, 2_922],
    [41_300 / DAY, '0.379984', '9870.89', '0.0339339', '0.0301579', '0.814413', '0.239005', 1.8887, 98],
    [(8 * 6_575) / DAY, '0.455995', '16011.3', '0.0534085', '0.0459847', '1.2818', '0.304398', 1.861, 64],
    [(10 * 6_575) / DAY, '0.532799', '25017.7', '0.0806318', '0.0669329', '1.93516', '0.380498', 1.8301, 44],
    [3.4, '0.966627', '499392', '0.984302', '0.464769', '23.6232', '1.7', 1.4722, 5],
    [27.2, '1', '31961100', '12.6368', '0.926471', '303.282', '13.6', 1.0733, 2],
    [34, '1', '49939200', '16.0294', '0.941176', '384.706', '17', 1.0587, 2],
  ])('%f a second', (a, share, pairs, expected, probability, perDay, page, exponent, needed) => {
    const boundary = runBoundary(a)
    expect(six(tiedShare(a))).toBe(share)
    expect(six(tiedPairsPerDay(a * DAY, a))).toBe(pairs)
    expect(six(boundary.expected)).toBe(expected)
    expect(six(boundary.probability)).toBe(probability)
    expect(six(boundary.expected * 24)).toBe(perDay)
    expect(six(pageBoundary(a))).toBe(page)
    expect(Number(runBoundaryExponent(a).toFixed(4))).toBe(exponent)
    expect(boundariesToSee(boundary.probability)).toBe(needed)
  })

  test.each([
    [0.01, '1.99750'],
    [0.5, '1.88399'],
    [1, '1.78442'],
    [10, '1.19514'],
  ])('the exponent at a = %f', (a, exponent) => {
    expect(runBoundaryExponent(a).toFixed(5)).toBe(exponent)
  })

  test.each([
    [8, '56.3914'],
    [10, '85.1352'],
    [41_300 / 6_575, '35.8291'],
    [3.4 / (6_575 / DAY), '1039.28'],
  ])('%f times an ordinary day', (k, ratio) => {
    const a = 6_575 / DAY
    expect(six(runBoundary(k * a).expected / runBoundary(a).expected)).toBe(ratio)
  })

  test('always at one phase of the grain: at most 1.538, at 0.345', () => {
    const best = Array.from({ length: 1000 }, (_, i) => i / 1000).reduce((best, phase) =>
      runBoundaryAtPhase(3.4, phase) > runBoundaryAtPhase(3.4, best) ? phase : best,
    )
    expect(best).toBeCloseTo(0.345, 3)
    expect(runBoundaryAtPhase(3.4, best).toFixed(3)).toBe('1.538')
  })

  test('groups of 5, 5, 4, 3, 1, 1, 1 lose 1.45 rows per page boundary (L7)', () => {
    expect(pageBoundaryFrom(tieCensus([5, 5, 4, 3, 1, 1, 1]))).toBeCloseTo(1.45, 12)
    expect(pageBoundaryFrom(tieCensus([]))).toBe(0)
    expect(tieCensus([5, 5, 4]).largest).toBe(5)
  })

  test('the loss at a run boundary is the mean over all phases', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 50, noNaN: true }), (a) => {
        const steps = 2_000
        let sum = 0
        for (let i = 0; i < steps; i++) sum += runBoundaryAtPhase(a, (i + 0.5) / steps)
        expect(runBoundary(a).expected / (sum / steps)).toBeCloseTo(1, 3)
      }),
    )
  })

  test('series and closed form meet without a step', () => {
    const [below, above] = [runBoundary(0.0499999999), runBoundary(0.0500000001)]
    expect(below.expected / above.expected).toBeCloseTo(1, 7)
    expect(below.probability / above.probability).toBeCloseTo(1, 7)
    expect(runBoundaryExponent(0.0499999999)).toBeCloseTo(runBoundaryExponent(0.0500000001), 7)
    expect(runBoundary(0)).toEqual({ expected: 0, probability: 0 })
    expect(runBoundaryExponent(0)).toBe(2)
  })

  test('both readings of a rate agree when each transaction writes one row (L2)', () => {
    const loss = (a: number): number => runBoundary(a).expected
    expect(inClusters(3.4, 1, loss)).toBe(loss(3.4))
    expect(inClusters(3.4, 20, loss)).toBeCloseTo(20 * loss(0.17), 12)
  })

  test('the exponent between two loads (L4)', () => {
    expect(loadExponent(1, 2, 10, 200)).toBeCloseTo(2, 12)
    expect(loadExponent(1, 0, 10, 200)).toBeUndefined()
  })
})
