import { assert } from '../assert.ts'
import type { WordSum } from './comparison.ts'

/** Hex digest of UTF-8 text or bytes, by the plan's hash. */
export type Digest = (data: string | Uint8Array) => string

const WORD_DIGITS = 15

/** The first word of a digest: 60 bits, so never negative in 64 (spec F2). */
export const wordOf = (hexDigest: string): bigint => BigInt(`0x${hexDigest.slice(0, WORD_DIGITS)}`)

/** The second word: digits 16 to 30. */
export const secondWordOf = (hexDigest: string): bigint =>
  BigInt(`0x${hexDigest.slice(WORD_DIGITS, 2 * WORD_DIGITS)}`)

/** The word of one column of a row, with the key mixed in, so that values exchanged between rows show (spec F30). */
export const columnWord = (keyText: string, columnText: string, digest: Digest): bigint =>
  wordOf(digest(`${keyText};${columnText}`))

export const EMPTY_SUM: WordSum = { rowCount: 0n, wordSum: 0n }

/** Sums of disjoint sets add up (spec F3). */
export function addWord(sum: WordSum, word: bigint): WordSum {
  return { rowCount: sum.rowCount + 1n, wordSum: sum.wordSum + word }
}

/** A known subset taken out of a set (spec F3). */
export function subtractSum(set: WordSum, subset: WordSum): WordSum {
  const rest = { rowCount: set.rowCount - subset.rowCount, wordSum: set.wordSum - subset.wordSum }
  assert(rest.rowCount >= 0n && rest.wordSum >= 0n, 'what is taken out of a sum was not in it')
  return rest
}

/** Digits of a bucket for a table of about so many rows (spec F29). */
export function digitsFor(rowCount: number): number {
  if (rowCount < 100_000) return 3
  return rowCount <= 50_000_000 ? 4 : 5
}
