import { expect, test } from 'vitest'
import { grainOf, isCutElsewhere } from './grain.ts'

const many = (step: bigint): bigint[] => Array.from({ length: 20 }, (_, i) => BigInt(i - 10) * step)

test('E5: the grain is the coarsest step that all values share', () => {
  for (const step of [86_400_000_000n, 3_600_000_000n, 60_000_000n, 1_000_000n, 1_000n, 10n, 1n]) {
    expect(grainOf(many(step))).toEqual({ grain: step, spacing: step })
  }
  expect(grainOf(many(7_000_000n))?.grain).toBe(1_000_000n)
  expect(grainOf([...many(60_000_000n), 1_500_000n])?.grain).toBe(100_000n)
})

test('too few values show nothing', () => {
  expect(grainOf(many(1n).slice(1))).toBeUndefined()
})

test('hours of a zone with half an hour more are spaced by an hour, though no multiples of one', () => {
  const hour = 3_600_000_000n
  const values = Array.from({ length: 25 }, (_, i) => BigInt(i) * hour + hour / 2n)
  const seen = grainOf(values)!
  expect(seen).toEqual({ grain: 60_000_000n, spacing: hour })
  expect(isCutElsewhere(seen)).toBe(true)
  expect(isCutElsewhere({ grain: 1n, spacing: 1_000_000n })).toBe(false)
  expect(isCutElsewhere({ grain: hour, spacing: hour })).toBe(false)
})
