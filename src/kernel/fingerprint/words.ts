import type { WordSum } from './comparison.ts'

/** Hex digest of UTF-8 text or bytes, by the plan's hash. */
export type Digest = (data: string | Uint8Array) => string

const WORD_DIGITS = 15

/** The first word of a digest: 60 bits, so never negative in 64 (spec F2). */
export const wordOf = (hexDigest: string): bigint => BigInt(`0x${hexDigest.slice(0, WORD_DIGITS)}`)

export const EMPTY_SUM: WordSum = { rowCount: 0n, wordSum: 0n }

/** Sums of disjoint sets add up (spec F3). */
export function addWord(sum: WordSum, word: bigint): WordSum {
  return { rowCount: sum.rowCount + 1n, wordSum: sum.wordSum + word }
}

/** The sum of a table from those of its buckets: they are disjoint (spec F3). */
export function totalOf(buckets: ReadonlyMap<string, WordSum>): WordSum {
  let [rowCount, wordSum] = [0n, 0n]
  for (const sum of buckets.values()) {
    rowCount += sum.rowCount
    wordSum += sum.wordSum
  }
  return { rowCount, wordSum }
}

/** Digits of a bucket for a table of about so many rows (spec F29). */
export function digitsFor(rowCount: number): number {
  if (rowCount < 100_000) return 3
  return rowCount <= 50_000_000 ? 4 : 5
}
