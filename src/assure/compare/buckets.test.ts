import { expect, test } from 'vitest'
import { InvariantError } from '../../kernel/assert.ts'
import { assertDrilled, compareBuckets } from './buckets.ts'

const sum = (rowCount: bigint, wordSum: bigint) => ({ rowCount, wordSum })

test('buckets of equal count and sum are equal; others, also one-sided ones, differ', () => {
  const here = new Map([
    ['0', sum(3n, 9n)],
    ['1', sum(1n, 5n)],
    ['2', sum(2n, 4n)],
  ])
  const there = new Map([
    ['0', sum(3n, 9n)],
    ['1', sum(1n, 6n)],
    ['3', sum(1n, 1n)],
  ])
  const compared = compareBuckets(here, there)
  expect([...compared.differing].sort()).toEqual(['1', '2', '3'])
  expect(compared).toMatchObject({
    equalRows: 3n,
    bucketCount: 4,
    source: sum(6n, 18n),
    destination: sum(5n, 16n),
  })
})

test('a row that is fetched twice or not at all is no difference but a defect (A24)', () => {
  const buckets = new Map([['0', sum(3n, 9n)]])
  expect(() => assertDrilled('source', buckets, new Set(['0']), 3n)).not.toThrow()
  expect(() => assertDrilled('source', buckets, new Set(['0']), 2n)).toThrow(InvariantError)
  expect(() => assertDrilled('source', buckets, new Set(['0', '1']), 4n)).toThrow(InvariantError)
})
