import { empiricalLaw } from '../../kernel/forecast/empirical-law.ts'
import { samplesNeeded } from '../../kernel/forecast/evidence.ts'
import { lostByClockBound } from '../../kernel/forecast/late-commits.ts'
import { levelToUse } from '../../kernel/forecast/load-level.ts'
import { MIN_LATENESS_SAMPLES } from '../../kernel/overlap.ts'
import type { Entry } from './entry.ts'
import type { History } from './learned.ts'
import { busiestRate, byLevel, measuredOf } from './levels.ts'
import { sketchCount, sketchMean, sketchQuantile } from './sketch.ts'

/** A quantile in seconds, or how many measurements it would take to say it (load-forecast L24). */
export type Quantile =
  | { readonly kind: 'known'; readonly seconds: number }
  | { readonly kind: 'not_enough'; readonly count: number; readonly needed: number }

/** Rows that a bound at the clock would lose at a share of the present margin, per run and per year. */
export interface LossAt {
  readonly share: number
  readonly perRun: number
  readonly perYear: number
}

/** One load level of a stream (assurance A39). */
export interface LevelReport {
  readonly level: number
  readonly rate: number
  readonly count: number
  readonly median: Quantile
  readonly p99: Quantile
  readonly p999: Quantile
  readonly meanSeconds: number | undefined
  /** Late rows: the deepest below the watermark, in overlap units, and the largest share of an overlap used. */
  readonly deepest: number
  readonly deepestShare: number
  /** At half, once and twice the present margin; empty without a margin or a law. */
  readonly losses: readonly LossAt[]
  /** The level whose measurements the losses rest on: a busier one where this has too few (load-forecast L19). */
  readonly measuredAt: number | undefined
  /** Rows a run under a proven fence, at any load (load-forecast L12). */
  readonly underFence: 0
}

export interface Margins {
  /** Seconds; undefined without a run. */
  readonly margin: number | undefined
  readonly period: number
}

const SHARES = [0.5, 1, 2] as const
const YEAR_SECONDS = 365 * 86_400

/** Busiest first. A level of late rows alone stands there without quantiles. */
export function levelReports(history: History, margins: Margins): readonly LevelReport[] {
  const busiest = Math.max(busiestRate(history.commit), busiestRate(history.lateRows))
  const commit = byLevel(history.commit, busiest)
  const late = byLevel(history.lateRows, busiest)
  const counts = new Map(commit.map(({ level, entry }) => [level, sketchCount(entry.sketch)]))
  const found = [...new Set([...commit, ...late].map(({ level }) => level))].sort((a, b) => b - a)
  return found.map((level) => {
    const own = commit.find((each) => each.level === level)
    const lateOwn = late.find((each) => each.level === level)
    const measuredAt = levelToUse(counts, level, MIN_LATENESS_SAMPLES) ?? (own ? level : undefined)
    const rate = own?.rate ?? lateOwn?.rate ?? 0
    const measured = commit.find((each) => each.level === measuredAt)
    return {
      level,
      rate,
      ...figuresOf(own?.entry),
      deepest: lateOwn?.entry.deepest ?? 0,
      deepestShare: lateOwn?.entry.deepestShare ?? 0,
      losses: measured ? lossesOf(measured.entry, rate, margins) : [],
      measuredAt,
      underFence: 0 as const,
    }
  })
}

function figuresOf(entry: Entry | undefined) {
  const count = entry ? sketchCount(entry.sketch) : 0
  const quantile = (q: number): Quantile => {
    const needed = samplesNeeded(q)
    if (!entry || count < needed) return { kind: 'not_enough', count, needed }
    return { kind: 'known', seconds: sketchQuantile(entry.sketch, q) / 1e6 }
  }
  return {
    count,
    median: quantile(0.5),
    p99: quantile(0.99),
    p999: quantile(0.999),
    meanSeconds: entry && count > 0 ? sketchMean(entry.sketch) / 1e6 : undefined,
  }
}

function lossesOf(measured: Entry, rate: number, { margin, period }: Margins): readonly LossAt[] {
  const law = empiricalLaw(measuredOf(measured))
  if (!law || margin === undefined) return []
  return SHARES.map((share) => {
    const perRun = lostByClockBound(rate, law, margin * share, period)
    return { share, perRun, perYear: (perRun * YEAR_SECONDS) / period }
  })
}
