import { assert } from '../assert.ts'

const DOUBT = 0.05

/** Measurements without an exceedance that support "at least a share q lies below" at 95 % (load-forecast L24). */
export function samplesNeeded(quantile: number): number {
  assert(quantile > 0 && quantile < 1, `no share between 0 and 1: ${quantile}`)
  return Math.ceil(Math.log(DOUBT) / Math.log(quantile) - 1e-9)
}

/** The highest chance of a loss per boundary that `boundaries` with `losses` leave at 95 % (load-forecast L25). */
export function boundPerBoundary(boundaries: number, losses = 0): number {
  assert(boundaries > 0 && losses >= 0 && losses <= boundaries, 'losses are among the boundaries')
  if (losses === 0) return -Math.expm1(Math.log(DOUBT) / boundaries)
  if (losses === boundaries) return 1
  let [low, high] = [losses / boundaries, 1]
  for (let i = 0; i < 100; i++) {
    const middle = (low + high) / 2
    if (chanceOfAtMost(losses, boundaries, middle) > DOUBT) low = middle
    else high = middle
  }
  return high
}

/** Chance of at most k successes in n trials. */
function chanceOfAtMost(k: number, n: number, p: number): number {
  let term = Math.exp(n * Math.log1p(-p))
  let sum = term
  for (let i = 1; i <= k; i++) {
    term *= ((n - i + 1) / i) * (p / (1 - p))
    sum += term
  }
  return sum
}

/** Boundaries needed to see a fault of this chance at least once with 95 % (load-forecast L26). */
export function boundariesToSee(probability: number): number {
  assert(probability > 0, 'what never happens is never seen')
  if (probability >= 1) return 1
  return Math.ceil(Math.log(DOUBT) / Math.log1p(-probability))
}

/**
 * The least count that a binomial of n trials exceeds with a chance of at most `doubt` (A40: 0.001). Summed outwards from
 * the most likely count, so that nothing underflows however large n is.
 */
export function binomialBound(n: number, p: number, doubt: number): number {
  if (n === 0 || p <= 0) return 0
  if (p >= 1) return n
  const mode = Math.min(n, Math.floor((n + 1) * p))
  const odds = p / (1 - p)
  const above: number[] = []
  for (let k = mode, term = 1; term > NEGLIGIBLE; k++) {
    above.push(term)
    term = k < n ? term * ((n - k) / (k + 1)) * odds : 0
  }
  let total = above.reduce((sum, term) => sum + term, 0)
  for (let k = mode, term = 1; k > 0 && term > NEGLIGIBLE; k--) {
    term *= k / (n - k + 1) / odds
    total += term
  }
  let tail = 0
  let index = above.length - 1
  while (index > 0 && tail + above[index]! <= doubt * total) tail += above[index--]!
  return mode + index
}

const NEGLIGIBLE = 1e-15
