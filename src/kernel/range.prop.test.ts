import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Position } from './position.ts'
import { isEmptyRange, type Range, rangeContains, rangeFromJson, rangeToJson } from './range.ts'

const at = (value: bigint): Position => ({ kind: 'integer', value })

test('adjacent ranges hold every position exactly once (E10)', () => {
  const borders = fc.uniqueArray(fc.bigInt({ min: -50n, max: 50n }), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(borders, fc.bigInt({ min: -60n, max: 60n }), (unsorted, value) => {
      const sorted = [...unsorted].sort((a, b) => (a < b ? -1 : 1))
      const ranges: Range[] = sorted.map((upper, i) => ({
        lower: i === 0 ? undefined : at(sorted[i - 1]!),
        upper: at(upper),
      }))
      const holders = ranges.filter((range) => rangeContains(range, at(value))).length
      expect(holders).toBe(value < sorted.at(-1)! ? 1 : 0)
    }),
  )
})

test('a range without lower bound is never empty; one that ends where it begins is', () => {
  expect(isEmptyRange({ lower: undefined, upper: at(0n) })).toBe(false)
  expect(isEmptyRange({ lower: at(1n), upper: at(1n) })).toBe(true)
  expect(isEmptyRange({ lower: at(1n), upper: at(2n) })).toBe(false)
})

test('survives JSON', () => {
  const range: Range = { lower: undefined, upper: at(2n ** 63n) }
  expect(rangeFromJson(JSON.parse(JSON.stringify(rangeToJson(range))))).toEqual(range)
})
