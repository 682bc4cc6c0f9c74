import { boundariesToSee, samplesNeeded } from '../../kernel/forecast/evidence.ts'
import { lostByClockBound, lostByDataMark } from '../../kernel/forecast/late-commits.ts'
import { inClusters, runBoundary } from '../../kernel/forecast/ties.ts'
import { typicalTransactions } from './load-law.ts'
import { NAIVE_READERS } from './readers.ts'

/** How many boundaries it takes to see each reader lose, and how many for a share of 99.9 % (assurance A53). */
export interface HowLong {
  readonly readers: readonly {
    readonly title: string
    readonly expected: number
    readonly boundaries: number
  }[]
  readonly boundaries: number
  readonly durationMs: number
}

const QUANTILE = 0.999

/** Until 2,995 boundaries have passed and each of the first six would have lost with 95 % (load-forecast L24, L26). */
export function howLong(rate: number, periodMs: number, grainUs: number): HowLong {
  const { law, rowsEach } = typicalTransactions()
  const period = periodMs / 1_000
  const grain = grainUs / 1e6
  const readers = NAIVE_READERS.filter(({ loses }) => loses).map(({ id, title }) => {
    const ties = id.startsWith('after') && grain <= period ? runBoundary(rate * grain).expected : 0
    const late =
      id === 'clock_1s'
        ? lostByClockBound(rate, law, 1, period)
        : inClusters(rate, rowsEach, (each) => lostByDataMark(each, law, 0, period))
    // Never more than the chance of a loss (L2): rows that come together are lost together.
    const expected = ties + late
    return { title, expected, boundaries: boundariesToSee(-Math.expm1(-expected / rowsEach)) }
  })
  const boundaries = Math.max(samplesNeeded(QUANTILE), ...readers.map((each) => each.boundaries))
  return { readers, boundaries, durationMs: boundaries * periodMs }
}
