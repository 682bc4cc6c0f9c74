import type { Receipt } from '../destination.ts'

/** What one way of writing rows reports: the part of a receipt that depends on them. */
export type Written = Pick<
  Receipt,
  | 'rowsRead'
  | 'byteSize'
  | 'inserted'
  | 'updated'
  | 'unchanged'
  | 'classes'
  | 'lateRows'
  | 'checksum'
  | 'stageMs'
  | 'mergeMs'
> & {
  /** Undefined: keep those of the claim. */
  readonly tailKeys: readonly string[] | undefined
}
