import { assert } from '../assert.ts'
import type { LatenessLaw } from './law.ts'
import { normalBelow } from './normal.ts'

/** G(from) − G(to) for laws whose G has a closed form. */
const fromBeyond =
  (beyond: (c: number) => number) =>
  (from: number, to: number): number =>
    to === Number.POSITIVE_INFINITY ? beyond(from) : beyond(from) - beyond(to)

export function exponentialLaw(mean: number): LatenessLaw {
  assert(mean > 0, 'a mean lateness is positive')
  return {
    tail: (x) => (x <= 0 ? 1 : Math.exp(-x / mean)),
    between: fromBeyond((c) => mean * Math.exp(-c / mean)),
    kinks: [],
    scale: mean,
  }
}

/** S(x) = (x₀/x)^α above x₀; for α ≤ 1 no margin helps (load-forecast L13). */
export function paretoLaw(alpha: number, x0: number): LatenessLaw {
  assert(alpha > 0 && x0 > 0, 'a Pareto law has a positive exponent and a positive least value')
  const above = (from: number, to: number): number => {
    if (alpha === 1) return x0 * Math.log(to / from)
    const at = (x: number): number => (x0 ** alpha / (alpha - 1)) * x ** (1 - alpha)
    return to === Number.POSITIVE_INFINITY && alpha > 1 ? at(from) : at(from) - at(to)
  }
  return {
    tail: (x) => (x <= x0 ? 1 : (x0 / x) ** alpha),
    between: (from, to) => {
      const flat = Math.max(0, Math.min(to, x0) - from)
      return to <= x0 ? flat : flat + above(Math.max(from, x0), to)
    },
    kinks: [x0],
    scale: x0,
  }
}

export function lognormalLaw(mu: number, sigma: number): LatenessLaw {
  assert(sigma > 0, 'a lognormal law has a positive sigma')
  const beyond = (c: number): number => {
    const mean = Math.exp(mu + (sigma * sigma) / 2)
    if (c <= 0) return mean - c
    const z = (mu - Math.log(c)) / sigma
    return mean * normalBelow(z + sigma) - c * normalBelow(z)
  }
  return {
    tail: (x) => (x <= 0 ? 1 : normalBelow((mu - Math.log(x)) / sigma)),
    between: fromBeyond(beyond),
    kinks: [],
    scale: Math.exp(mu),
  }
}
