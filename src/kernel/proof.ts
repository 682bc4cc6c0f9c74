/** How sure a claim is (spec E19). `proven` > `measured` > `assumed`. */
export type ProofLevel = 'proven' | 'measured' | 'assumed'

const RANK: Readonly<Record<ProofLevel, number>> = { assumed: 0, measured: 1, proven: 2 }

/** The weaker of two levels: a claim is as sure as its least sure part. */
export function leastProof(a: ProofLevel, b: ProofLevel): ProofLevel {
  return RANK[a] <= RANK[b] ? a : b
}
