import { expect, test } from 'vitest'
import { grainOf } from './grain.ts'

const many = (step: bigint): bigint[] => Array.from({ length: 20 }, (_, i) => BigInt(i - 10) * step)

test('E5: the grain is the coarsest step that all values share', () => {
  for (const step of [86_400_000_000n, 3_600_000_000n, 60_000_000n, 1_000_000n, 1_000n, 10n, 1n]) {
    expect(grainOf(many(step))).toBe(step)
  }
  expect(grainOf(many(7_000_000n))).toBe(1_000_000n)
  expect(grainOf([...many(60_000_000n), 1_500_000n])).toBe(100_000n)
})

test('too few values show nothing', () => {
  expect(grainOf(many(1n).slice(1))).toBeUndefined()
})
