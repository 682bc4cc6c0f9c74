import { assert } from '../../kernel/assert.ts'
import type { WordSum } from '../../kernel/fingerprint/comparison.ts'
import { EMPTY_SUM, totalOf } from '../../kernel/fingerprint/words.ts'

export type Buckets = ReadonlyMap<string, WordSum>

/** Two sides' sums held against each other: every bucket once, and the totals they add up to (spec A24). */
export interface BucketComparison {
  readonly differing: ReadonlySet<string>
  readonly bucketCount: number
  readonly source: WordSum
  readonly destination: WordSum
  /** Rows in buckets that are equal. */
  readonly equalRows: bigint
}

/** Buckets whose count or sum differs; a bucket that one side does not have is empty there (spec F3, F28). */
export function compareBuckets(source: Buckets, destination: Buckets): BucketComparison {
  const names = new Set([...source.keys(), ...destination.keys()])
  const differing = new Set<string>()
  let equalRows = 0n
  for (const name of names) {
    const [a, b] = [source.get(name) ?? EMPTY_SUM, destination.get(name) ?? EMPTY_SUM]
    if (a.rowCount === b.rowCount && a.wordSum === b.wordSum) equalRows += a.rowCount
    else differing.add(name)
  }
  return {
    differing,
    bucketCount: names.size,
    source: totalOf(source),
    destination: totalOf(destination),
    equalRows,
  }
}

/** The rows of the picked buckets must be those that were summed, in the same snapshot (spec A24). */
export function assertDrilled(
  side: string,
  buckets: Buckets,
  picked: ReadonlySet<string>,
  rowCount: bigint,
): void {
  let expected = 0n
  for (const name of picked) expected += buckets.get(name)?.rowCount ?? 0n
  assert(rowCount === expected, `${side}: ${rowCount} rows were fetched of buckets that hold ${expected}`)
}
