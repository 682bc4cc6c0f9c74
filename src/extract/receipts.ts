import type { Receipt } from '../destinations/destination.ts'
import { assert } from '../kernel/assert.ts'

/** Counts of a run, snake_case as they stand in records and JSON (spec E73). */
export interface RunCounts {
  readonly rows_read: number
  readonly bytes_read: number
  readonly inserted: number
  readonly updated: number
  readonly unchanged: number
  readonly fresh: number
  readonly late: number
  readonly reprocessed: number
  readonly same_position: number
  readonly regressed: number
}

/** Adds up receipts and asserts that every row is in exactly one class and had exactly one effect (spec E73). */
export function sumReceipts(receipts: readonly Receipt[]): RunCounts {
  const sum = (pick: (receipt: Receipt) => number): number =>
    receipts.reduce((total, receipt) => total + pick(receipt), 0)
  const counts: RunCounts = {
    rows_read: sum((r) => r.rowsRead),
    bytes_read: sum((r) => r.byteSize),
    inserted: sum((r) => r.inserted),
    updated: sum((r) => r.updated),
    unchanged: sum((r) => r.unchanged),
    fresh: sum((r) => r.classes.fresh),
    late: sum((r) => r.classes.late),
    reprocessed: sum((r) => r.classes.reprocessed),
    same_position: sum((r) => r.classes.samePosition),
    regressed: sum((r) => r.classes.regressed),
  }
  const classed = counts.fresh + counts.late + counts.reprocessed + counts.same_position + counts.regressed
  assert(classed === counts.rows_read, `classes add up to ${classed}, rows read are ${counts.rows_read}`)
  const landed = counts.inserted + counts.updated + counts.unchanged
  assert(landed === counts.rows_read, `effects add up to ${landed}, rows read are ${counts.rows_read}`)
  return counts
}
