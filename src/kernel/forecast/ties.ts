import { assert } from '../assert.ts'

/** What ties cost a reader that goes on with `>`; `a` is the mean number of rows in one grain (load-forecast L1). */
export interface RunBoundary {
  /** Rows lost per run, E₁. */
  readonly expected: number
  /** Chance that a run loses any, P₁. */
  readonly probability: number
}

/** Below this the closed forms cancel (load-forecast L6). */
const SERIES_BELOW = 0.05

/** Share of rows that have a neighbour in their grain (load-forecast L5). */
export function tiedShare(a: number): number {
  return -Math.expm1(-a)
}

/** Tied pairs a day at a flat rate (load-forecast L5). */
export function tiedPairsPerDay(rowsPerDay: number, a: number): number {
  return (rowsPerDay / 2) * a
}

/** A run that begins at a random moment of the grain (load-forecast L6). */
export function runBoundary(a: number): RunBoundary {
  assert(a >= 0, 'a rate is never negative')
  if (a < SERIES_BELOW) {
    return { expected: alternating(a, () => 1), probability: alternating(a, (k) => k - 1) }
  }
  const some = -Math.expm1(-a)
  return { expected: a / 2 - 1 + some / a, probability: 1 - (2 * some) / a + Math.exp(-a) }
}

/** Σ (−a)^k · weight(k) / (k+1)! from k = 2. */
function alternating(a: number, weight: (k: number) => number): number {
  let sum = 0
  let term = -a / 2
  for (let k = 2; k < 20; k++) {
    term *= -a / (k + 1)
    sum += term * weight(k)
  }
  return sum
}

/** A run that always reads at the same phase of the grain, 0 to 1 (load-forecast L6). */
export function runBoundaryAtPhase(a: number, phase: number): number {
  return a * (1 - phase) * tiedShare(a * phase)
}

/** d ln E₁ / d ln λ (load-forecast L4). */
export function runBoundaryExponent(a: number): number {
  if (a === 0) return 2
  if (a < SERIES_BELOW) return alternating(a, (k) => k) / runBoundary(a).expected
  const slope = 1 / 2 + Math.expm1(-a) / (a * a) + Math.exp(-a) / a
  return (a * slope) / runBoundary(a).expected
}

/** Rows lost per page boundary at a flat rate, E₂ (load-forecast L7). */
export function pageBoundary(a: number): number {
  return a / 2
}

/** What a census of ties found: rows, the sum of squared group sizes, the largest group. */
export interface TieCensus {
  readonly rowCount: number
  readonly squareSum: number
  readonly largest: number
}

export function tieCensus(groupSizes: readonly number[]): TieCensus {
  return {
    rowCount: groupSizes.reduce((sum, n) => sum + n, 0),
    squareSum: groupSizes.reduce((sum, n) => sum + n * n, 0),
    largest: groupSizes.reduce((most, n) => Math.max(most, n), 0),
  }
}

/** Rows lost per page boundary from the groups that stand in the data, whatever their distribution (load-forecast L7). */
export function pageBoundaryFrom({ rowCount, squareSum }: TieCensus): number {
  return rowCount === 0 ? 0 : (squareSum - rowCount) / (2 * rowCount)
}

/**
 * Rows that come `perTransaction` at a time with one stamp: the rate of transactions decides, each costs that many
 * rows (load-forecast L2).
 */
export function inClusters(a: number, perTransaction: number, loss: (a: number) => number): number {
  assert(perTransaction >= 1, 'a transaction writes at least one row')
  return perTransaction * loss(a / perTransaction)
}
