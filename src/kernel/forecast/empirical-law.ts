import { assert } from '../assert.ts'
import type { LatenessLaw } from './law.ts'

/** `count` latenesses of `seconds`; counts may be fractions (weights). */
export interface Measured {
  readonly seconds: number
  readonly count: number
}

/**
 * The law that measurements are (load-forecast L13): λ·∫ S from c to c + P is Σ min((L − c)⁺, P) / T for λ = n/T.
 * Undefined without measurements.
 */
export function empiricalLaw(measured: readonly Measured[]): LatenessLaw | undefined {
  const sorted = measured.filter(({ count }) => count > 0).toSorted((a, b) => a.seconds - b.seconds)
  if (sorted.length === 0) return undefined
  assert(sorted[0]!.seconds >= 0, 'a lateness is never negative')
  const values = sorted.map(({ seconds }) => seconds)
  const counts = suffixSums(sorted.map(({ count }) => count))
  const sums = suffixSums(sorted.map(({ seconds, count }) => seconds * count))
  const total = counts[0]!
  const firstAbove = (x: number): number => {
    let [low, high] = [0, values.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (values[middle]! > x) high = middle
      else low = middle + 1
    }
    return low
  }
  const beyond = (c: number): number => {
    const at = firstAbove(c)
    return (sums[at]! - c * counts[at]!) / total
  }
  return {
    tail: (x) => counts[firstAbove(x)]! / total,
    between: (from, to) => (to === Number.POSITIVE_INFINITY ? beyond(from) : beyond(from) - beyond(to)),
    kinks: [...new Set(values)],
    scale: Math.max(sums[0]! / total, 1e-6),
  }
}

/** `result[i]` is the sum from i to the end; one longer than given, its last 0. */
function suffixSums(numbers: readonly number[]): readonly number[] {
  const result = new Array<number>(numbers.length + 1).fill(0)
  for (let i = numbers.length - 1; i >= 0; i--) result[i] = result[i + 1]! + numbers[i]!
  return result
}
