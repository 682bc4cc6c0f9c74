import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../test/support/random.ts'
import { exponentialLaw, lognormalLaw, paretoLaw } from './families.ts'
import { inFlight, lostByClockBound, lostByDataMark } from './late-commits.ts'
import type { LatenessLaw } from './law.ts'
import { pageBoundary, runBoundary } from './ties.ts'

/** Readers over simulated writes; nothing here knows a formula. The seed is fixed: the same answer every time. */
const random = seededRandom(411)
const uniform = (): number => (random.below(2 ** 32) + 0.5) / 2 ** 32

interface Row {
  /** When it was stamped and when it could be seen, in seconds. */
  readonly position: number
  readonly visible: number
}

const BATCHES = 40

/** Rows of a Poisson stream in the order of their positions. */
function* writes(rate: number, until: number, lateness: () => number): Generator<Row> {
  const gap = (): number => -Math.log(uniform()) / rate
  for (let t = gap(); t < until; t += gap()) yield { position: t, visible: t + lateness() }
}

/** Mean of batches and its standard error. */
function estimate(batch: () => number): { mean: number; error: number } {
  const values = Array.from({ length: BATCHES }, batch)
  const mean = values.reduce((sum, value) => sum + value, 0) / BATCHES
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (BATCHES - 1)
  return { mean, error: Math.sqrt(variance / BATCHES) }
}

function agrees(batch: () => number, expected: number): void {
  const { mean, error } = estimate(batch)
  expect(error).toBeLessThan(expected * 0.1)
  expect(Math.abs(mean - expected)).toBeLessThan(4 * error)
}

describe('ties: stamps in whole seconds, rows at once visible, a reader with `>`', () => {
  test.each([0.478009, 3.4, 27.2])('run boundaries at %f a second (L6)', (rate) => {
    const runs = 2_000
    const period = 7 + Math.SQRT1_2
    agrees(() => {
      let lost = 0
      let [mark, largest, next] = [-1, -1, period]
      for (const { position } of writes(rate, runs * period, () => 0)) {
        while (position > next) [mark, next] = [Math.max(mark, largest), next + period]
        const stamp = Math.floor(position)
        if (stamp <= mark) lost++
        largest = Math.max(largest, stamp)
      }
      return lost / runs
    }, runBoundary(rate).expected)
  })

  test.each([68, 1000])('page boundaries every %i rows at 3.4 a second (L7)', (limit) => {
    agrees(() => {
      let [lost, pages, onPage, mark] = [0, 0, 0, -1]
      for (const { position } of writes(3.4, (limit * 300) / 3.4, () => 0)) {
        const stamp = Math.floor(position)
        if (stamp <= mark) {
          lost++
          continue
        }
        if (++onPage < limit) continue
        pages++
        onPage = 0
        mark = stamp
      }
      return lost / pages
    }, pageBoundary(3.4))
  })
})

/** Each with a margin that leaves losses often enough to be counted. */
const LAWS: readonly [string, LatenessLaw, number, () => number][] = [
  ['exponential 30', exponentialLaw(30), 60, () => -30 * Math.log(uniform())],
  ['Pareto 2.5', paretoLaw(2.5, 0.2), 0.4, () => 0.2 * uniform() ** (-1 / 2.5)],
  ['lognormal', lognormalLaw(0, 1.5), 5, () => Math.exp(1.5 * normal())],
]

/** Box and Muller. */
function normal(): number {
  return Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
}

const RATE = 3.4
const PERIOD = 60

describe.each(LAWS)('late commits, %s, one run a minute', (_name, law, some, lateness) => {
  const runs = 60

  test.each([0, some])('a mark that is the largest position seen, overlap %f (L10)', (overlap) => {
    agrees(
      () => {
        const warmUp = 10
        const rows = [...writes(RATE, (runs + warmUp) * PERIOD, lateness)]
        const marks = new Float64Array(runs + warmUp + 1)
        for (const { position, visible } of rows) {
          const run = Math.ceil(visible / PERIOD)
          if (run < marks.length) marks[run] = Math.max(marks[run]!, position)
        }
        for (let i = 1; i < marks.length; i++) marks[i] = Math.max(marks[i]!, marks[i - 1]!)
        const lost = rows.filter(({ position, visible }) => {
          const run = Math.ceil(visible / PERIOD)
          return run > warmUp && run < marks.length && position <= marks[run - 1]! - overlap
        })
        return lost.length / runs
      },
      lostByDataMark(RATE, law, overlap, PERIOD),
    )
  })

  test.each([0, some])('ranges bounded by a clock, margin %f (L11)', (margin) => {
    agrees(
      () => {
        let lost = 0
        for (const { position, visible } of writes(RATE, runs * PERIOD, lateness)) {
          const lastRunThatCovers = Math.ceil((position + margin) / PERIOD) * PERIOD
          if (visible > lastRunThatCovers) lost++
        }
        return lost / runs
      },
      lostByClockBound(RATE, law, margin, PERIOD),
    )
  })
})

test('transactions open at an instant: 6.8, older than 4 s 0.92 (L9, A36)', () => {
  const lateness = (): number => -2 * Math.log(uniform())
  for (const age of [0, 4]) {
    agrees(
      () => {
        const instants = 500
        const rows = [...writes(RATE, instants * 20, lateness)]
        let open = 0
        for (const { position, visible } of rows) {
          const first = Math.ceil((position + age) / 20)
          if (first * 20 < visible) open += Math.floor(visible / 20) - first + 1
        }
        return open / instants
      },
      inFlight(RATE, exponentialLaw(2), age),
    )
  }
})
