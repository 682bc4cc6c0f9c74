import { describe, expect, test } from 'vitest'
import { empiricalLaw } from './empirical-law.ts'
import { exponentialLaw, lognormalLaw, paretoLaw } from './families.ts'
import { inFlight } from './late-commits.ts'
import type { LatenessLaw } from './law.ts'
import { beyondMax, marginForLoss, marginsByNine } from './margin.ts'

const six = (value: number): string => Number(value.toPrecision(6)).toString()
const rate = 3.4

describe('margins: the table of load-forecast L17', () => {
  test.each<[string, LatenessLaw, number, string, readonly string[]]>([
    ['exponential 2', exponentialLaw(2), 13.8155, '0.0068', ['8.43902', '13.0442', '17.6494']],
    ['exponential 30', exponentialLaw(30), 207.233, '0.102', ['207.827', '276.904', '345.982']],
    ['lognormal', lognormalLaw(0, 1.5), 103.064, '0.234917', ['176.264', '583.566', '1552.03']],
    ['Pareto 2.5', paretoLaw(2.5, 0.2), 3.16979, '0.00718485', ['0.547825', '2.54278', '11.8025']],
    ['Pareto 1.5', paretoLaw(1.5, 0.2), 20, '0.136', ['36.992', '3699.2', '369920']],
  ])('%s', (_name, law, p999, lossThere, margins) => {
    expect(law.tail(p999)).toBeCloseTo(0.001, 7)
    expect(inFlight(rate, law, p999) / Number(lossThere)).toBeCloseTo(1, 4)
    const found = marginsByNine(rate, law, [0.1, 0.01, 0.001])
    expect(found.map(({ margin }) => six(margin))).toEqual(margins)
  })

  test('closed forms (L16)', () => {
    expect(marginForLoss(rate, exponentialLaw(2), 0.001)).toBeCloseTo(2 * Math.log((rate * 2) / 0.001), 9)
    const closed = ((rate * 0.2 ** 1.5) / (0.5 * 0.001)) ** (1 / 0.5)
    expect(marginForLoss(rate, paretoLaw(1.5, 0.2), 0.001) / closed).toBeCloseTo(1, 10)
    const [first, second] = marginsByNine(rate, paretoLaw(1.5, 0.2), [0.1, 0.01])
    expect(second!.margin / first!.margin).toBeCloseTo(100, 6)
  })

  test('no margin where none is needed, none that helps without a mean', () => {
    expect(marginForLoss(0.0001, exponentialLaw(2), 0.001)).toBe(0)
    expect(marginForLoss(rate, paretoLaw(0.9, 0.2), 0.001)).toBe(Number.POSITIVE_INFINITY)
  })

  test('measurements: the margin leaves what was asked for, and never more than the largest', () => {
    const law = empiricalLaw([1, 2, 3, 4, 100].map((seconds) => ({ seconds, count: 1 })))!
    const margin = marginForLoss(5, law, 0.001)
    expect(inFlight(5, law, margin)).toBeCloseTo(0.001, 9)
    expect(margin).toBeCloseTo(99.999, 6)
  })

  test('beyond max: both numbers of the sentence (L18)', () => {
    const answer = beyondMax(rate, paretoLaw(1.5, 0.2), 0.001, 86_400)!
    expect(Math.round(answer.marginWanted / 3600)).toBe(103)
    expect(answer.lossAtMax).toBeCloseTo(inFlight(rate, paretoLaw(1.5, 0.2), 86_400), 12)
    expect(beyondMax(rate, exponentialLaw(2), 0.001, 86_400)).toBeUndefined()
  })
})
