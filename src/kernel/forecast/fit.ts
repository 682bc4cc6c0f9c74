import { exponentialLaw, lognormalLaw, paretoLaw } from './families.ts'
import type { LatenessLaw } from './law.ts'

/** What a family is fitted to: the mean and three quantiles of measurements, in seconds. */
export interface FitTo {
  readonly mean: number
  readonly median: number
  readonly p90: number
  readonly p99: number
}

/** A family drawn beside the measurements; it decides nothing (load-forecast L16). */
export interface FittedFamily {
  readonly name: 'exponential' | 'lognormal' | 'Pareto'
  readonly law: LatenessLaw
}

const Z99 = 2.3263478740408408

/** Each family with the parameters that the figures give it; one that cannot have them is left out. */
export function fitFamilies({ mean, median, p90, p99 }: FitTo): readonly FittedFamily[] {
  const families: FittedFamily[] = []
  if (mean > 0) families.push({ name: 'exponential', law: exponentialLaw(mean) })
  if (median > 0 && p99 > median) {
    const sigma = Math.log(p99 / median) / Z99
    families.push({ name: 'lognormal', law: lognormalLaw(Math.log(median), sigma) })
  }
  if (p90 > 0 && p99 > p90) {
    const alpha = Math.LN10 / Math.log(p99 / p90)
    families.push({ name: 'Pareto', law: paretoLaw(alpha, p90 * 0.1 ** (1 / alpha)) })
  }
  return families
}
