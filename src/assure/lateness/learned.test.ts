import { describe, expect, test } from 'vitest'
import { exponentialLaw, paretoLaw } from '../../kernel/forecast/families.ts'
import type { LatenessLaw } from '../../kernel/forecast/law.ts'
import type { PositionOrder } from '../../kernel/order.ts'
import { decideOverlap } from '../../kernel/overlap.ts'
import { type Entry, emptyEntry } from './entry.ts'
import { busiestLateness, type History, learnedLateness } from './learned.ts'
import { addTo } from './sketch.ts'
import type { StoredEntry } from './store.ts'

const MANY = 1e12
const SETTLED = { quantile: 0.999, lossRows: 0.001, isSettled: false }

/** As many measurements of a law as it takes to see its tail, into the bins of a sketch. */
function entryOf(law: LatenessLaw, rate: number, count = MANY): Entry {
  const entry = emptyEntry({ runs: 1, rows: rate * 1000, seconds: 1000 })
  for (let x = 1e-3, above = 1; x < 1e12; x *= 1.002) {
    const here = law.tail(x)
    const weight = (above - here) * count
    if (weight > 0) addTo(entry.sketch, x * 1e6, weight)
    above = here
  }
  return entry
}
const stored = (...entries: Entry[]): StoredEntry[] =>
  entries.map((entry) => ({ way: 'commit', dayUs: 0n, entry }))
const history = (parts: Partial<History>): History => ({ commit: [], lateRows: [], open: [], ...parts })

const order: PositionOrder = {
  column: 'at',
  kind: 'timestamptz',
  tick: 1n,
  grain: 60_000_000n,
  stampedBy: 'database',
}
const policy = { kind: 'learned', quantile: 0.999, min: 60_000_000n, max: 86_400_000_000n } as const

describe('learned overlap (A38)', () => {
  test('exponential, mean 30 s, 3.4 a second: within a grain of τ·ln(λτ/ε)', () => {
    const learned = learnedLateness(history({ commit: stored(entryOf(exponentialLaw(30), 3.4)) }), SETTLED)
    const formula = 30 * Math.log((3.4 * 30) / 0.001)
    expect(formula).toBeCloseTo(345.982, 3)
    const { amount, learned: how } = decideOverlap(order, policy, 'proven', learned, 0n)
    expect(how?.ruler).toBe('loss')
    expect(Math.abs(Number(amount) / 1e6 - formula)).toBeLessThanOrEqual(60)
    expect(Number(how!.lossMargin) / 1e6 / formula).toBeCloseTo(1, 1)
    expect(Number(how!.quantileValue) / 1e6 / 207.233).toBeCloseTo(1, 1)
  })

  test('Pareto 1.5: the integral rules and hits max', () => {
    const learned = learnedLateness(history({ commit: stored(entryOf(paretoLaw(1.5, 0.2), 3.4)) }), SETTLED)
    const { amount, learned: how } = decideOverlap(order, policy, 'proven', learned, 0n)
    expect(how?.ruler).toBe('max')
    expect(amount).toBe(policy.max)
    expect(how!.lossMargin > how!.quantileValue).toBe(true)
    expect(Number(how!.lossMargin) / 1e6 / 369_920).toBeCloseTo(1, 1)
  })

  test('the busiest level with enough samples decides; without, all of them at its rate (L19)', () => {
    const quiet = entryOf(exponentialLaw(1), 1, 1e6)
    const busy = entryOf(exponentialLaw(10), 32, 1e6)
    const fewAtPeak = entryOf(exponentialLaw(10), 100, 500)
    expect(busiestLateness(stored(quiet, busy))).toMatchObject({ rate: 32, isBorrowed: false })
    const borrowed = busiestLateness(stored(quiet, fewAtPeak))!
    expect(borrowed).toMatchObject({ rate: 100, isBorrowed: true })
    expect(borrowed.sampleCount).toBeGreaterThan(900_000)
    expect(busiestLateness([])).toBeUndefined()
  })

  test('late rows ask for room; open transactions count only under a fence that waits', () => {
    const late = emptyEntry({ deepest: 80_000_000 })
    const open = emptyEntry({ looks: 1000 })
    for (let i = 1; i <= 1000; i++) addTo(open.sketch, i * 1e6)
    const all = history({ lateRows: stored(late), open: stored(open) })
    expect(learnedLateness(all, SETTLED)).toMatchObject({
      lateRows: 100_000_000n,
      lossMargin: 0n,
      sampleCount: 0,
    })
    const settled = learnedLateness(all, { ...SETTLED, isSettled: true })
    expect(Number(settled.lossMargin) / 1e6).toBeGreaterThan(985)
  })

  test('a quantile that the samples do not support is their largest (L24)', () => {
    const entry = emptyEntry({ rows: 10, seconds: 10 })
    for (let i = 1; i <= 500; i++) addTo(entry.sketch, i * 1e6)
    expect(learnedLateness(history({ commit: stored(entry) }), SETTLED).quantileValue).toBe(500_000_000n)
    expect(
      learnedLateness(history({ commit: stored(entry) }), { ...SETTLED, quantile: 0.9 }).quantileValue <
        460_000_000n,
    ).toBe(true)
  })
})
