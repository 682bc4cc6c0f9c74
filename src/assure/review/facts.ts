import type { LatenessLaw } from '../../kernel/forecast/law.ts'
import type { DurationModel } from '../../kernel/forecast/run-duration.ts'
import type { TieCensus } from '../../kernel/forecast/ties.ts'
import type { ProofLevel } from '../../kernel/proof.ts'

/** Everything a review judges (assurance A46). What was not measured is undefined, and its row `unknown`. */
export interface ReviewFacts {
  readonly stream: string
  readonly load: LoadAtPeak | undefined
  /** Seconds that share one position; undefined for counters. */
  readonly grain: number | undefined
  readonly ties: TieCensus | undefined
  /** `ranges`: ours, half-open below a fence. `gt`: another program's, which goes on with `>` the largest seen (A16). */
  readonly reader: 'ranges' | 'gt'
  /** Undefined: it reads everything at once. */
  readonly pageRows: number | undefined
  /** Seconds. */
  readonly period: number | undefined
  readonly overlap: number | undefined
  /** How long the upper bound stays behind the clock. */
  readonly settle: number
  readonly proof: ProofLevel
  readonly lateness: MeasuredLateness | undefined
  readonly lossRows: number
  readonly duration: DurationModel | undefined
  /** Rows at the destination now, and new ones a second. */
  readonly targetRows: number | undefined
  readonly growth: number | undefined
  readonly memory:
    | { readonly rowBytes: number; readonly rowsInFlight: number; readonly limitBytes: number }
    | undefined
  readonly connections: { readonly ours: number; readonly allowed: number; readonly used: number } | undefined
  readonly hold: { readonly longestSeconds: number; readonly alarmSeconds: number } | undefined
  readonly checks: readonly PastCheck[]
  readonly retention: Retention | undefined
}

export interface LoadAtPeak {
  /** Rows a second in the busiest minute of 35 days (load-forecast L3). */
  readonly rate: number
  readonly mean: number | undefined
  /** When that was, for a person. */
  readonly when: string
  /** `runs`: the source could not count its minutes, so this is the busiest run. */
  readonly from: 'source' | 'runs'
}

/** Lateness at the level nearest to the peak that was measured well enough (load-forecast L19). */
export interface MeasuredLateness {
  readonly law: LatenessLaw
  readonly rate: number
  readonly sampleCount: number
  /** γ; undefined when only one level was measured. */
  readonly exponent: number | undefined
}

/** A check that ran: how long, over how many rows, and how long it may take. */
export interface PastCheck {
  readonly kind: string
  readonly seconds: number
  readonly rows: number
  readonly windowSeconds: number
}

/** How far back the source reaches (assurance A45). */
export interface Retention {
  readonly reachSeconds: number
  /** Since when the oldest row has been watched, and how far it moved on meanwhile. */
  readonly watchedSeconds: number
  readonly movedSeconds: number
  /** A loss found later is beyond repair: twice the slowest audit interval and 7 days. */
  readonly neededSeconds: number
}
