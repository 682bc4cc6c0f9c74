import type { ProofLevel } from './proof.ts'
import type { Range } from './range.ts'

/** One range that was landed, decreed or left open (spec E14). */
export interface LedgerEntry {
  readonly stream: string
  readonly generation: number
  readonly runId: string
  readonly kind: 'run' | 'first_load' | 'backfill' | 'repair' | 'bill'
  readonly state: 'landed' | 'hole' | 'decreed'
  readonly range: Range
  readonly proof: ProofLevel
  /** Batch id of the receipt; empty for a hole. */
  readonly batchId: string
  readonly readSeq: number
  /** Why, for holes and decrees; empty otherwise. */
  readonly reason: string
}
