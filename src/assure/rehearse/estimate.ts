import type { PlanHead, RehearsalPlan } from './plan.ts'

/** What a rehearsal will write, before it writes anything (assurance A50). */
export interface Estimate {
  readonly transactions: number
  readonly rowsWritten: number
  /** Rows written a second, in the mean over all minutes. */
  readonly meanRate: number
  /** Of the table, its indexes and the versions that lie dead in it. */
  readonly bytes: number
  readonly logBytes: number
  readonly seconds: number
  readonly boundaries: number
  readonly kills: number
  readonly connections: number
}

/** Row header, key, version, stamp, and the two index entries. */
const ROW_OVERHEAD_BYTES = 140
/** Full pages after each checkpoint make the log about so many times as large as what is written. */
const LOG_FACTOR = 2.5
const COMMIT_LOG_BYTES = 60
/** Sessions besides the writers: naive readers, the pipeline's, the one that makes and drops. */
const OTHER_SESSIONS = 16

export function estimate({ head, transactions, kills }: RehearsalPlan): Estimate {
  const all = transactions.flat()
  const written = all.reduce((sum, { ops }) => sum + ops.reduce((rows, { keys }) => rows + keys.length, 0), 0)
  const rowsWritten = head.rows + written
  const bytes = rowsWritten * rowBytes(head)
  return {
    transactions: all.length,
    rowsWritten,
    meanRate: written / (head.durationMs / 1_000),
    bytes,
    logBytes: Math.round(bytes * LOG_FACTOR) + all.length * COMMIT_LOG_BYTES,
    seconds: Math.round(head.durationMs / 1_000),
    boundaries: Math.floor(head.durationMs / head.periodMs),
    kills: kills.length,
    connections: connectionsNeeded(head.actors),
  }
}

export const connectionsNeeded = (actors: number): number => actors + OTHER_SESSIONS

const rowBytes = ({ payloadBytes }: PlanHead): number => payloadBytes + ROW_OVERHEAD_BYTES
