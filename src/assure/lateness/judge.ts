import { binomialBound, samplesNeeded } from '../../kernel/forecast/evidence.ts'
import { MIN_LATENESS_SAMPLES } from '../../kernel/overlap.ts'
import type { ProofLevel } from '../../kernel/proof.ts'
import { countAbove, type Sketch, sketchCount, sketchQuantile } from './sketch.ts'

export const LATENESS_ALARMS = [
  'lateness_near_overlap',
  'lateness_beyond_overlap',
  'lateness_shift',
  'lateness_unmeasured',
] as const
export type LatenessAlarm = (typeof LATENESS_ALARMS)[number]

/** What one run knows for its alarms. Amounts in overlap units. */
export interface LatenessFacts {
  readonly overlap: bigint
  /** Rows that were committed below what the run before had read for the last time. */
  readonly beyond: { readonly count: number; readonly deepest: bigint; readonly place: string }
  /** The deepest late row of this run. */
  readonly deepestLate: bigint
  readonly proof: ProofLevel
  /** Commit timestamps of 14 days, and of today alone. */
  readonly sampleCount: number
  readonly today: Sketch
  /** The 14 days before today. */
  readonly before: Sketch
}

/** Which conditions of A40 hold after a run, with the words for a person. A total function. */
export function judgeLateness(facts: LatenessFacts): Partial<Record<LatenessAlarm, string>> {
  const { overlap, beyond, deepestLate, proof, sampleCount } = facts
  const found: Partial<Record<LatenessAlarm, string>> = {}
  if (overlap > 0n && deepestLate * 10n > overlap * 8n) {
    found.lateness_near_overlap = `a late row came ${deepestLate} below the watermark; the overlap is ${overlap}`
  }
  if (beyond.count > 0) {
    const rows = beyond.count === 1 ? '1 row was' : `${beyond.count} rows were`
    found.lateness_beyond_overlap = `${rows} committed below the overlap after it had been read for the last time, the deepest ${beyond.deepest} below the watermark (overlap ${overlap}); no run will read them: audit, then a fence or a longer overlap`
  }
  if (proof === 'measured' && sampleCount < MIN_LATENESS_SAMPLES) {
    found.lateness_unmeasured = `the claim is measured, and 14 days hold ${sampleCount} of ${MIN_LATENESS_SAMPLES} measurements`
  }
  const shift = shiftOf(facts.today, facts.before)
  if (shift !== undefined) found.lateness_shift = shift
  return found
}

const P99 = 0.99
const DOUBT = 0.001

/** Today's rows above the p99 of the 14 days before are more than chance brings in one day of a thousand. */
function shiftOf(today: Sketch, before: Sketch): string | undefined {
  if (sketchCount(before) < samplesNeeded(P99) || sketchCount(today) === 0) return undefined
  const p99 = sketchQuantile(before, P99)
  const share = countAbove(before, p99 * BIN) / sketchCount(before)
  const count = Math.round(sketchCount(today))
  const above = Math.round(countAbove(today, p99 * BIN))
  const bound = binomialBound(count, Math.max(share, 1 - P99), DOUBT)
  if (above <= bound) return undefined
  return `${above} of ${count} rows of today are later than ${Number((p99 / 1e6).toPrecision(3))} s, the p99 of the 14 days before; ${bound} would be chance`
}

/** The edge of the bin that holds a value may lie 1 % above it. */
const BIN = 1.01

/** What an open alarm needs to be resolved (assurance A59): 7 days of measured runs without, or for a loss more. */
export interface OpenAlarm {
  readonly name: LatenessAlarm
  /** When the condition held last, µs. */
  readonly lastTrueUs: bigint
  /** Days since then on which runs were measured. */
  readonly measuredDays: number
  /** `lateness_beyond_overlap`: the depth of the row that raised it, and whether an audit after it was clean. */
  readonly depth: bigint
  readonly hasCleanAudit: boolean
}

const QUIET_DAYS = 7

/** Whether it is over: never by silence alone. */
export function isResolved(
  { name, measuredDays, depth, hasCleanAudit }: OpenAlarm,
  overlap: bigint,
): boolean {
  if (name === 'lateness_beyond_overlap') return overlap > depth && hasCleanAudit
  return measuredDays >= QUIET_DAYS
}
