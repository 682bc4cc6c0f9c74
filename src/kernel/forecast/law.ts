/**
 * How late rows become visible, in seconds (load-forecast L1, L13). `between(a, b)` is ∫ S from a to b, so that
 * G(c) = between(c, ∞) and Φ(y) = y − between(0, y).
 */
export interface LatenessLaw {
  /** S: the share of rows later than x. */
  tail(x: number): number
  /** ∫ S from `from` to `to`; `to` may be infinite, and so may the answer be. */
  between(from: number, to: number): number
  /** Where S is not smooth, ascending; empty for most laws. */
  readonly kinks: readonly number[]
  /** A length at which the law is neither 0 nor 1: where numbers are looked for first. */
  readonly scale: number
}

/** G: the mean lateness beyond c (load-forecast L1). */
export const beyond = (law: LatenessLaw, c: number): number => law.between(c, Number.POSITIVE_INFINITY)

export const meanLateness = (law: LatenessLaw): number => beyond(law, 0)

/** Φ: the integral of F from 0 to y. */
export const phi = (law: LatenessLaw, y: number): number => y - law.between(0, y)

/** The same law at k^γ times its lengths: lateness under another load (load-forecast L19). */
export function stretched(law: LatenessLaw, factor: number): LatenessLaw {
  if (factor === 1) return law
  return {
    tail: (x) => law.tail(x / factor),
    between: (from, to) => factor * law.between(from / factor, to / factor),
    kinks: law.kinks.map((kink) => kink * factor),
    scale: law.scale * factor,
  }
}
