import type { KnownLateness } from '../../extract/lateness-watch.ts'
import { empiricalLaw } from '../../kernel/forecast/empirical-law.ts'
import { samplesNeeded } from '../../kernel/forecast/evidence.ts'
import type { LatenessLaw } from '../../kernel/forecast/law.ts'
import { levelToUse } from '../../kernel/forecast/load-level.ts'
import { marginForLoss } from '../../kernel/forecast/margin.ts'
import { MIN_LATENESS_SAMPLES } from '../../kernel/overlap.ts'
import type { Entry } from './entry.ts'
import { allTogether, busiestRate, byLevel, measuredOf } from './levels.ts'
import { sketchCount, sketchQuantile } from './sketch.ts'
import type { StoredEntry } from './store.ts'

/** What 14 days hold of a stream, by way. */
export interface History {
  readonly commit: readonly StoredEntry[]
  readonly lateRows: readonly StoredEntry[]
  readonly open: readonly StoredEntry[]
}

/** Rows a second with the law of lateness at the busiest level that was measured well enough (load-forecast L19). */
export interface BusiestLateness {
  readonly rate: number
  readonly law: LatenessLaw
  readonly sampleCount: number
  /** The level has too few samples of its own: all levels stand in for it. */
  readonly isBorrowed: boolean
}

/** Undefined without a measurement or a rate. */
export function busiestLateness(commit: readonly StoredEntry[]): BusiestLateness | undefined {
  const rate = busiestRate(commit)
  const levels = byLevel(commit, rate)
  const counts = new Map(levels.map(({ level, entry }) => [level, sketchCount(entry.sketch)]))
  const level = levelToUse(counts, 0, MIN_LATENESS_SAMPLES)
  const entry = levels.find((each) => each.level === level)?.entry ?? allTogether(commit)
  const law = empiricalLaw(measuredOf(entry))
  if (!law || rate <= 0) return undefined
  return { rate, law, sampleCount: sketchCount(entry.sketch), isBorrowed: level === undefined }
}

/** The late row that lay deepest may use four fifths of the overlap (spec E42), so this much is wanted (A34). */
const ROOM_NUMERATOR = 5n
const ROOM_DENOMINATOR = 4n

/**
 * What the overlap is learned from (assurance A38): the quantile of all commit timestamps of 14 days, the margin whose
 * loss at the busiest level is at most `lossRows` a run, and what late rows ask for. A fence that only waits (`settle`)
 * adds what the open transactions say. A quantile that the samples do not support is the largest of them.
 */
export function learnedLateness(
  history: History,
  { quantile, lossRows, isSettled }: { quantile: number; lossRows: number; isSettled: boolean },
): Omit<KnownLateness, 'wantedBefore'> {
  const { sketch } = allTogether(history.commit)
  const count = sketchCount(sketch)
  const at = (q: number): bigint => {
    if (count === 0) return 0n
    return up(count < samplesNeeded(q) ? sketch.most : sketchQuantile(sketch, q))
  }
  const busiest = busiestLateness(history.commit)
  const byRows = busiest ? marginForLoss(busiest.rate, busiest.law, lossRows) * 1e6 : 0
  const byWriters = isSettled ? marginOfOpen(allTogether(history.open), lossRows) : 0
  const { deepest } = allTogether(history.lateRows)
  return {
    sampleCount: count,
    quantileValue: at(quantile),
    p999: at(P999),
    lossMargin: up(Math.max(byRows, byWriters)),
    lateRows: (up(deepest) * ROOM_NUMERATOR) / ROOM_DENOMINATOR,
  }
}

const P999 = 0.999
const up = (us: number): bigint => BigInt(Math.ceil(us))

/** The age that at most `loss` writers exceed on average (assurance A36), µs. */
function marginOfOpen({ sketch, looks }: Entry, loss: number): number {
  const count = sketchCount(sketch)
  const allowed = loss * looks
  if (count <= allowed) return 0
  return sketchQuantile(sketch, 1 - allowed / count)
}
