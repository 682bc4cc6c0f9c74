import { assertCovers } from '../kernel/coverage.ts'
import { PlimsollError } from '../kernel/errors.ts'
import { describeError } from './alarms.ts'
import { type Attempted, attempt } from './attempt.ts'
import { closeRun } from './close-run.ts'
import type { Engine } from './engine.ts'
import { tellHoles } from './holes.ts'
import { failedResult, streamResult } from './make-result.ts'
import { openSession } from './open-session.ts'
import { overlapToJson } from './record.ts'
import type { StreamResult } from './results.ts'
import { withRetries } from './retry.ts'
import type { StreamSettings } from './settings.ts'
import type { StreamSession } from './stream-session.ts'

/**
 * One run of one stream: fence, read, land, claim, record (spec E9). Expected failures are in `result.error`; what was
 * landed before them stays landed and claimed. InvariantError and unknown errors are thrown.
 */
export async function runStream(engine: Engine, settings: StreamSettings): Promise<StreamResult> {
  const startedMs = engine.clock.nowMs()
  let session: StreamSession
  try {
    session = await openSession(engine, settings, 'run')
  } catch (error) {
    if (!(error instanceof PlimsollError)) throw error
    return failedResult(settings.stream, error, engine.clock.nowMs() - startedMs)
  }
  try {
    let attempted: Attempted | undefined
    let failure: PlimsollError | undefined
    try {
      attempted = await withRetries(session, () => attempt(session))
    } catch (error) {
      session.recorder.note({ error: describeError(error) })
      if (!(error instanceof PlimsollError)) throw error
      failure = error
    }
    return await close(session, attempted, failure, engine.clock.nowMs() - startedMs)
  } finally {
    await session.lease.release()
  }
}

async function close(
  session: StreamSession,
  attempted: Attempted | undefined,
  failure: PlimsollError | undefined,
  durationMs: number,
): Promise<StreamResult> {
  const { engine, settings } = session
  await engine.reach('run.closing')
  if (session.claim.watermark) assertCovers(session.coverage, session.claim.watermark)
  await tellHoles(session)
  const result = streamResult(session, attempted, failure, durationMs)
  session.recorder.time('total', durationMs)
  session.recorder.note({
    newest: attempted?.newest ? String(attempted.newest.value) : null,
    held_because: result.heldBecause ?? null,
    ...(attempted && { overlap: overlapToJson(attempted.fenced.overlap) }),
  })
  const record = session.recorder.finish(
    result.outcome,
    session.claimAtStart.watermark,
    session.claim.watermark,
  )
  const closed = await closeRun(session, result, record)
  if (result.outcome !== 'failed') {
    engine.emit({
      kind: 'run_closed',
      stream: settings.stream,
      runId: session.runId,
      outcome: result.outcome,
    })
  }
  if (attempted?.finished && !closed.error) await engine.lateness?.afterRun(session, attempted)
  return closed
}
