import { describe, expect, test } from 'vitest'
import { renderBars, roundBorders } from './plot.ts'

describe('bars', () => {
  test('each factor of ten is as long as the one before, and one row is seen', () => {
    const text = renderBars(
      [
        { label: '1 ms', count: 9_999 },
        { label: '10 ms', count: 99, note: '99' },
        { label: '1 s', count: 1 },
        { label: '5 s', count: 0 },
      ],
      8,
    )
    expect(text).toBe(
      ['   1 ms │████████', '  10 ms │████ 99', '    1 s │▋', '    5 s │']
        .map((line) => line.slice(2))
        .join('\n'),
    )
  })

  test('nothing to show is no fault', () => {
    expect(renderBars([], 10)).toBe('')
  })
})

describe('borders', () => {
  test('are round and hold everything', () => {
    expect(roundBorders(3, 40, 10)).toEqual([2, 5, 10, 20, 50])
    expect(roundBorders(10, 10, 10)).toEqual([10, 20])
    expect(roundBorders(3, 400_000, 6)).toEqual([1, 10, 100, 1_000, 10_000, 100_000, 1_000_000])
  })
})
