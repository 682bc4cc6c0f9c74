/** What measuring and sampling know about transactions here; absent figures were never measured (spec A18–A20). */
export interface LatenessKnowledge {
  /** The largest lateness measured in 14 days, backdated rows left out, µs. */
  readonly largestLatenessUs: bigint | undefined
  readonly longestTransactionUs: bigint | undefined
  /** Whether the sampler saw this transaction open at that moment. */
  wasOpen(transaction: string | undefined, atUs: bigint | undefined): 'seen' | 'not_seen' | 'unknown'
  /** True only where samples without a gap show no transaction as old as `ageUs` at its commit (spec A19). */
  sawNobodyAsOld(committedUs: bigint, ageUs: bigint): boolean
}

export const NOTHING_MEASURED: LatenessKnowledge = {
  largestLatenessUs: undefined,
  longestTransactionUs: undefined,
  wasOpen: () => 'unknown',
  sawNobodyAsOld: () => false,
}
