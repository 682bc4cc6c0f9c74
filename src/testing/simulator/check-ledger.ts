import type { StoredRecord } from '../../catalog/catalog.ts'
import { chainFault } from '../../catalog/record-chain.ts'
import { type RecordView, readRecord } from '../../extract/record-view.ts'
import { InvariantError } from '../../kernel/assert.ts'
import { addToCoverage, assertCovers, type Coverage } from '../../kernel/coverage.ts'
import type { Position } from '../../kernel/position.ts'
import type { Checker } from './checker.ts'
import type { MemoryStore } from './memory-store.ts'

/** The ledger alone covers all below the watermark (spec E14). */
export function checkLedger(
  store: MemoryStore,
  generation: number,
  watermark: Position,
  checker: Checker,
): void {
  const entries = [...store.ranges.values()].filter((entry) => entry.generation === generation)
  const coverage = entries.reduce<Coverage>(addToCoverage, [])
  try {
    assertCovers(coverage, watermark)
  } catch (error) {
    if (!(error instanceof InvariantError)) throw error
    checker.report('ledger', error.message)
  }
}

/** The chain is whole, each receipt in it was given, and one record begins where the one before it ended (spec E72). */
export function checkRecords(records: readonly StoredRecord[], checker: Checker): void {
  const fault = chainFault(records)
  if (fault) checker.report('records', `record ${fault.record.sequence} ${fault.what}`)
  let last: RecordView | undefined
  for (const { json } of records) {
    const record = readRecord({ json })
    let rowsRead = 0
    for (const { receipt } of record.slices ?? []) {
      rowsRead += receipt.rowsRead
      if (checker.landedBatches.get(receipt.batchId ?? '')?.rowsRead !== receipt.rowsRead) {
        checker.report('records', `a record holds a receipt that nobody gave: ${receipt.batchId}`)
      }
    }
    if (record.counts && record.counts.rows_read !== rowsRead) {
      checker.report('records', `a record counts ${record.counts.rows_read} rows, its slices ${rowsRead}`)
    }
    const ended = last?.watermark_after?.value
    const begun = record.watermark_before?.value
    if (ended !== undefined && begun !== undefined && BigInt(begun) < BigInt(ended)) {
      checker.report('records', `a run began at ${begun}, the one before it ended at ${ended}`)
    }
    if (record.outcome !== 'abandoned' && record.watermark_after) last = record
  }
}
