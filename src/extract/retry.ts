import { PlimsollError } from '../kernel/errors.ts'
import { memoryCoverage, saveMemory } from './progress-state.ts'
import { catchUp } from './settle-claim.ts'
import type { StreamSession } from './stream-session.ts'

/**
 * Repeats what failed in a way that may pass: bounded in count and total time, with growing delays; each attempt takes
 * a new fence and snapshot and starts from the claim beside the data (spec E49, E65).
 */
export async function withRetries<T>(session: StreamSession, work: () => Promise<T>): Promise<T> {
  const { engine, settings } = session
  const { retries, retryDelayMs, retryTotalMs } = settings.limits
  const startedMs = engine.clock.nowMs()
  for (let count = 0; ; count++) {
    try {
      if (count > 0) await refreshClaim(session)
      return await work()
    } catch (error) {
      const retryable = error instanceof PlimsollError && error.retry === 'automatic'
      const spent = engine.clock.nowMs() - startedMs
      if (!retryable || count >= retries || spent > retryTotalMs || engine.signal?.aborted) throw error
      session.recorder.retry(`${error.code}: ${error.message}`)
      engine.emit({ kind: 'retry', stream: settings.stream, attempt: count + 1, reason: error.message })
      if (error.code === 'SOURCE_QUERY_TOO_LONG') session.halvings += 1
      await engine.clock.sleep(retryDelayMs * 2 ** count)
    }
  }
}

/** The claim beside the data is the truth; what a failed attempt believed is not: a landing may have lost its reply. */
async function refreshClaim(session: StreamSession): Promise<void> {
  const { engine, settings } = session
  const stored = await engine.destination.claim(settings.stream)
  if (!stored)
    throw new PlimsollError('DESTINATION_WENT_BACK', `${settings.stream}: the claim vanished during the run`)
  if (stored.epoch !== session.claim.epoch) {
    throw new PlimsollError('LEASE_FENCED_OUT', `${settings.stream}: another run took this stream over`)
  }
  if (stored.readSeq > session.claim.readSeq || stored.batch !== session.claim.batch) {
    const { memory, adopted } = await catchUp(engine, settings, stored, session.memory, session.runId)
    session.memory = memory
    if (adopted) session.recorder.adopt(adopted)
    session.coverage = memoryCoverage(session.memory)
    await saveMemory(engine, session.lease, session.memory)
  }
  session.claim = stored
  session.classBelow = stored.watermark
}
