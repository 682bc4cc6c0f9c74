import { describe, expect, test } from 'vitest'
import { exponentialLaw, lognormalLaw, paretoLaw } from './families.ts'
import { type FitTo, fitFamilies } from './fit.ts'
import { type LatenessLaw, meanLateness } from './law.ts'

/** Mean and quantiles of a law, by bisection. */
function figures(law: LatenessLaw): FitTo {
  const at = (q: number): number => {
    let [low, high] = [0, 1e6]
    for (let i = 0; i < 100; i++) {
      const middle = (low + high) / 2
      if (law.tail(middle) > 1 - q) low = middle
      else high = middle
    }
    return high
  }
  return { mean: meanLateness(law), median: at(0.5), p90: at(0.9), p99: at(0.99) }
}

describe('families beside the measurements', () => {
  test.each([
    ['exponential', exponentialLaw(30)],
    ['lognormal', lognormalLaw(0, 1.5)],
    ['Pareto', paretoLaw(1.5, 0.2)],
  ] as const)('%s is found again from its own figures', (name, law) => {
    const found = fitFamilies(figures(law)).find((each) => each.name === name)!
    for (const x of [0.3, 1, 10, 100, 1000]) expect(found.law.tail(x)).toBeCloseTo(law.tail(x), 6)
  })

  test('figures that no family has leave it out', () => {
    expect(fitFamilies({ mean: 0, median: 0, p90: 0, p99: 0 })).toEqual([])
    expect(fitFamilies({ mean: 1, median: 1, p90: 1, p99: 1 }).map(({ name }) => name)).toEqual([
      'exponential',
    ])
  })
})
