import { formatTimestampUs } from '../kernel/calendar.ts'
import type { ComparisonPlan, WordKind } from '../kernel/fingerprint/comparison.ts'

export interface ResidualFacts {
  readonly plan: ComparisonPlan
  readonly word: WordKind
  readonly bucketCount: number
  readonly equalRows: bigint
  /** For people: `position < …`, `the whole table`. */
  readonly scope: string
  /** µs since 1970. */
  readonly sourceLookedAt: string
  readonly destinationLookedAt: string
  readonly pending: number
  readonly atRisk: number
  /** Shares of the buckets that were looked at, for a sample. */
  readonly sample?: string
}

const WORD_BITS = 60

/** µs since 1970 by that side's own clock. */
const at = (us: string): string =>
  us === '' ? 'an unknown time' : `${formatTimestampUs(BigInt(us)).slice(0, 19)}Z`

/**
 * How far a verdict reaches: method, scope, moments, columns, what it cannot see, and the chance of a miss (spec A4, F26).
 * Without it nothing is called equal.
 */
export function residual(facts: ResidualFacts): string {
  const { plan, word, bucketCount } = facts
  const rows = new Intl.NumberFormat('en-US').format(facts.equalRows)
  const buckets = new Intl.NumberFormat('en-US').format(bucketCount)
  const compared =
    word === 'row'
      ? `${plan.columns.length} columns`
      : `key and ${plan.position} (a change without a new ${plan.position} is not seen)`
  const parts = [
    `equal: ${rows} rows, ${buckets} buckets, ${WORD_BITS}-bit words, ${facts.scope}`,
    compared,
    ...plan.leftOut.map(({ column, reason }) => `\`${column}\` not compared (${reason})`),
    ...(facts.atRisk > 0 ? [`${facts.atRisk} at risk until the next run`] : []),
    ...(facts.pending > 0 ? [`${facts.pending} pending`] : []),
    ...(facts.sample ? [`sampled: ${facts.sample} of the buckets`] : []),
    `looked at the destination at ${at(facts.destinationLookedAt)}, at the source at ${at(facts.sourceLookedAt)}`,
    `a miss has chance below 2^−${WORD_BITS - Math.ceil(Math.log2(Math.max(1, bucketCount)))}`,
  ]
  return parts.join('; ')
}
