import { empiricalLaw } from '../../kernel/forecast/empirical-law.ts'
import { meanLateness } from '../../kernel/forecast/law.ts'
import { latenessExponent } from '../../kernel/forecast/load-level.ts'
import { MIN_LATENESS_SAMPLES } from '../../kernel/overlap.ts'
import { byLevel, type Level, measuredOf } from '../lateness/levels.ts'
import { sketchCount } from '../lateness/sketch.ts'
import type { StoredEntry } from '../lateness/store.ts'
import type { MeasuredLateness } from './facts.ts'

/**
 * Lateness at the level nearest to the peak with samples enough: that of the peak, else the next busier one, else the
 * busiest that there is (load-forecast L19). With two such levels the exponent is fitted.
 */
export function nearestLateness(
  commit: readonly StoredEntry[],
  peakRate: number | undefined,
): MeasuredLateness | undefined {
  if (peakRate === undefined) return undefined
  const levels = byLevel(commit, peakRate).filter(
    ({ entry }) => sketchCount(entry.sketch) >= MIN_LATENESS_SAMPLES,
  )
  const nearest = levels.findLast(({ level }) => level >= 0) ?? levels[0]
  const law = nearest && empiricalLaw(measuredOf(nearest.entry))
  if (!nearest || !law) return undefined
  const exponent = latenessExponent(levels.flatMap(meanOf))
  return { law, rate: nearest.rate, sampleCount: sketchCount(nearest.entry.sketch), exponent }
}

function meanOf({ rate, entry }: Level) {
  const law = empiricalLaw(measuredOf(entry))
  return law ? [{ rate, meanLateness: meanLateness(law) }] : []
}
