import { decideOverlap, isLatenessMeasured, type LatenessMeasure } from '../kernel/overlap.ts'
import type { Attempted } from './attempt.ts'
import type { StreamSession } from './stream-session.ts'

/** What is known of a stream's lateness when its fence is taken; amounts in overlap units. */
export interface KnownLateness extends LatenessMeasure {
  /** Of the same measurements as the quantile of the policy (spec E19). */
  readonly p999: bigint
}

export type WatchedStream = Pick<StreamSession, 'choice' | 'settings'>

/** Who measures lateness beside the runs (assurance A34 to A38). The engine asks and tells; it measures nothing itself. */
export interface LatenessWatch {
  known(stream: WatchedStream): Promise<KnownLateness | undefined>
  /** After a run that landed its whole range has been closed, its lease still held. Never fails the run. */
  afterRun(session: StreamSession, attempted: Attempted): Promise<void>
}

/** Measured lateness stays within what is waited and read again, so the fence may be `measured` (spec E19). */
export function isMeasured({ choice, settings }: WatchedStream, known: KnownLateness | undefined): boolean {
  const { method, settleMs } = settings.fence
  const settleUs = method === 'settle' ? BigInt(Math.round(settleMs * 1000)) : 0n
  const overlap = decideOverlap(choice.order, settings.overlap, 'measured', known, 0n)
  return isLatenessMeasured(known, settleUs, overlap.amount)
}
