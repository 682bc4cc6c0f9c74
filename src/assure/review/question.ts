/** When each check last ran, by the records of a stream (assurance A47); µs since 1970, undefined for never. */
export interface ChecksRan {
  readonly nowUs: bigint
  readonly auditUs: bigint | undefined
  /** Of an audit or reconcile that compared contents. */
  readonly contentUs: bigint | undefined
  readonly reconcileUs: bigint | undefined
  readonly runUs: bigint | undefined
  /** Rows can be told apart by a key: lanes are delivered then. */
  readonly hasKey: boolean
  readonly retentionKnown: boolean
}

export interface Answered {
  readonly rows: string
  /** The check that covers them; undefined: nothing tells us. */
  readonly check: string | undefined
  readonly lastUs: bigint | undefined
}

export const QUESTION = 'Which rows that exist at the source now will no future run read, and what tells us?'

/** The one question that would have caught every failure of this family, answered from what has run (assurance A47). */
export function answerQuestion(ran: ChecksRan): readonly Answered[] {
  const by = (rows: string, check: string, lastUs: bigint | undefined): Answered =>
    lastUs === undefined ? { rows, check: undefined, lastUs } : { rows, check, lastUs }
  return [
    by('below the settled bound, and missed', 'audit', ran.auditUs),
    by('in the overlap', 'the next run reads them again', ran.runUs),
    by(
      'in a lane, without a place in the order',
      'each run delivers them apart',
      ran.hasKey ? ran.runUs : undefined,
    ),
    by('deleted at the source, still at the destination', 'reconcile', ran.reconcileUs),
    by(
      'changed without a new position',
      'reconcile, or audit --content',
      later(ran.contentUs, ran.reconcileUs),
    ),
    by(
      'purged before they were read',
      'this review watches the oldest row',
      ran.retentionKnown ? ran.nowUs : undefined,
    ),
  ]
}

const later = (a: bigint | undefined, b: bigint | undefined): bigint | undefined =>
  a === undefined || (b !== undefined && b > a) ? b : a
