import { describe, expect, test } from 'vitest'
import { latenessExponent, levelToUse, loadLevel } from './load-level.ts'

describe('load levels (L19)', () => {
  test.each([
    [34, 34, 0],
    [17, 34, -1],
    [12, 34, -2],
    [13, 34, -1],
    [40, 34, 0],
    [0.1, 34, -8],
  ])('%f a second of at most %f', (rate, busiest, level) => {
    expect(loadLevel(rate, busiest)).toBe(level)
  })

  test('without a rate there is none', () => {
    expect(loadLevel(0, 34)).toBeUndefined()
    expect(loadLevel(3, 0)).toBeUndefined()
  })

  test('the exponent of mean lateness needs two levels', () => {
    const at = (rate: number) => ({ rate, meanLateness: 2 * rate ** 1.3 })
    expect(latenessExponent([at(1), at(4), at(32)])).toBeCloseTo(1.3, 9)
    expect(latenessExponent([at(4)])).toBeUndefined()
    expect(latenessExponent([at(4), at(4)])).toBeUndefined()
    expect(latenessExponent([])).toBeUndefined()
  })

  test('a level without enough samples reads the next busier one', () => {
    const counts = new Map([
      [-3, 10_000],
      [-2, 12],
      [-1, 4_000],
      [0, 3],
    ])
    expect(levelToUse(counts, -3, 2_995)).toBe(-3)
    expect(levelToUse(counts, -2, 2_995)).toBe(-1)
    expect(levelToUse(counts, 0, 2_995)).toBeUndefined()
  })
})
