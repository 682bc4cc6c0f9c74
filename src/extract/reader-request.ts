import { PlimsollError } from '../kernel/errors.ts'
import type { LogPosition } from '../kernel/fence.ts'
import { isTimeLike } from '../kernel/moment.ts'
import type { ReaderRequest, WireFormat } from '../sources/source.ts'
import type { StreamSession } from './stream-session.ts'

/** What the source is asked for: the first format that both sides speak, and the run's limits (spec E49, E52). */
export function readerRequest(
  session: Pick<StreamSession, 'engine' | 'settings' | 'shape' | 'choice'>,
  after: LogPosition | undefined,
  t0: string,
): ReaderRequest {
  const { limits } = session.settings
  const timed = isTimeLike(session.choice.order) && t0 !== ''
  return {
    shape: session.shape,
    order: session.choice.order,
    key: session.choice.key,
    format: commonFormat(session),
    asText: session.settings.asText,
    after: session.engine.mistake === 'replica_without_waiting' ? undefined : after,
    futureFromUs: timed ? BigInt(t0) + BigInt(limits.futureToleranceMs) * 1000n : undefined,
    replicaWaitMs: limits.replicaWaitMs,
    queryMaxMs: limits.queryMaxMs,
    lockTimeoutMs: limits.lockTimeoutMs,
    pageRows: limits.pageRows,
    fullScanMaxRows: limits.fullScanMaxRows,
  }
}

function commonFormat(session: Pick<StreamSession, 'engine'>): WireFormat {
  const offered = session.engine.source.capabilities.formats
  const format = session.engine.destination.capabilities.formats.find((each) => offered.includes(each))
  if (!format) {
    throw new PlimsollError('USAGE', 'source and destination share no format', {
      hint: `Source: ${offered.join(', ')}.`,
    })
  }
  return format
}
