import { describe, expect, test } from 'vitest'
import { isResolved, judgeLateness, type LatenessFacts } from './judge.ts'
import { addTo, emptySketch, type Sketch } from './sketch.ts'

const of = (values: readonly number[]): Sketch => {
  const sketch = emptySketch()
  for (const value of values) addTo(sketch, value * 1e6)
  return sketch
}
const spread = (count: number, most = 10): number[] =>
  Array.from({ length: count }, (_, i) => ((i + 1) / count) * most)
const calm: LatenessFacts = {
  overlap: 100n,
  beyond: { count: 0, deepest: 0n, place: '' },
  deepestLate: 0n,
  proof: 'proven',
  sampleCount: 0,
  today: of(spread(500)),
  before: of(spread(5_000)),
}

describe('alarms of lateness (A40)', () => {
  test('nothing holds on a calm day', () => {
    expect(judgeLateness(calm)).toEqual({})
    expect(judgeLateness({ ...calm, today: emptySketch(), before: emptySketch() })).toEqual({})
  })

  test('near the overlap from 0.8 of it', () => {
    expect(judgeLateness({ ...calm, deepestLate: 80n })).toEqual({})
    expect(judgeLateness({ ...calm, deepestLate: 81n }).lateness_near_overlap).toContain(
      '81 below the watermark',
    )
  })

  test('a row beyond the overlap is a loss', () => {
    const text = judgeLateness({
      ...calm,
      beyond: { count: 3, deepest: 140n, place: '(0,1)' },
    }).lateness_beyond_overlap
    expect(text).toContain('3 rows were committed below the overlap')
    expect(text).toContain('140 below the watermark (overlap 100)')
  })

  test('a measured claim needs its measurements', () => {
    expect(judgeLateness({ ...calm, proof: 'measured', sampleCount: 2_994 }).lateness_unmeasured).toContain(
      '2994 of 2995',
    )
    expect(judgeLateness({ ...calm, proof: 'measured', sampleCount: 2_995 })).toEqual({})
    expect(judgeLateness({ ...calm, proof: 'assumed' })).toEqual({})
  })

  test('a shift is more late rows today than chance brings', () => {
    const late = (count: number) =>
      of([...spread(500 - count, 9), ...Array.from({ length: count }, () => 60)])
    expect(judgeLateness({ ...calm, today: late(12) })).toEqual({})
    expect(judgeLateness({ ...calm, today: late(20) }).lateness_shift).toMatch(
      /^20 of 500 rows of today are later than 9\.\d+ s/,
    )
    expect(judgeLateness({ ...calm, today: late(20), before: of(spread(298)) })).toEqual({})
  })

  test('they end by their own rule, never by silence', () => {
    const open = { lastTrueUs: 0n, measuredDays: 7, depth: 0n, hasCleanAudit: false } as const
    expect(isResolved({ ...open, name: 'lateness_shift' }, 100n)).toBe(true)
    expect(isResolved({ ...open, name: 'lateness_near_overlap', measuredDays: 6 }, 100n)).toBe(false)
    const lost = { ...open, name: 'lateness_beyond_overlap', depth: 140n } as const
    expect(isResolved(lost, 200n)).toBe(false)
    expect(isResolved({ ...lost, hasCleanAudit: true }, 140n)).toBe(false)
    expect(isResolved({ ...lost, hasCleanAudit: true, measuredDays: 0 }, 141n)).toBe(true)
  })
})
