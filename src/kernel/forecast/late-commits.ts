import { integrate } from './integrate.ts'
import { beyond, type LatenessLaw, phi } from './law.ts'

/** Rows below the clock that nobody can see yet and that are older than x; all of them for x = 0 (load-forecast L9). */
export function inFlight(rate: number, law: LatenessLaw, olderThan = 0): number {
  return rate * beyond(law, olderThan)
}

/** Rows lost per run by a bound at the clock, `margin` = delay + overlap, E₄ (load-forecast L11). */
export function lostByClockBound(rate: number, law: LatenessLaw, margin: number, period: number): number {
  return rate * law.between(margin, margin + period)
}

/** λΦ above which 1 − e^(−λΦ) is 1. */
const SURE = 45

/**
 * Rows lost per run by a mark that is the largest position seen, E₃ (load-forecast L10). Integrated up to where a newer
 * row has surely been seen; the rest has a closed form. `period` may be infinite.
 */
export function lostByDataMark(rate: number, law: LatenessLaw, overlap: number, period: number): number {
  if (rate <= 0) return 0
  const sure = surelySeen(rate, law)
  const from = overlap
  const to = overlap + sure
  const integrand = (x: number): number =>
    (law.tail(x) - (period === Number.POSITIVE_INFINITY ? 0 : law.tail(x + period))) *
    -Math.expm1(-rate * phi(law, x - overlap))
  const whole = law.between(to, to + period)
  const rough = law.between(from, from + period)
  const points = panels(law, from, to, period)
  return rate * (integrate(integrand, points, Math.max(rough, Number.MIN_VALUE) * 1e-10) + whole)
}

/** The least y (to a factor of 2) from which λΦ(y) is beyond doubt. */
function surelySeen(rate: number, law: LatenessLaw): number {
  let y = law.scale
  while (rate * phi(law, y) < SURE) y *= 2
  return y
}

/** Borders of panels: where the integrand is not smooth, and doublings of the law's scale, whose lengths differ widely. */
function panels(law: LatenessLaw, from: number, to: number, period: number): readonly number[] {
  const points = new Set([from, to])
  for (const kink of law.kinks) for (const x of [kink, kink - period, kink + from]) points.add(x)
  for (let step = law.scale / 1024; step < to - from; step *= 2) points.add(from + step)
  return [...points].filter((x) => x >= from && x <= to).sort((a, b) => a - b)
}
