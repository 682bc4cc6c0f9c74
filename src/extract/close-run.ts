import { PlimsollError } from '../kernel/errors.ts'
import type { StreamResult } from './results.ts'
import type { StreamSession } from './stream-session.ts'

/**
 * Closes the run with its record. A process that stood still until another took the stream over finds its run closed
 * as abandoned: it finishes nothing, and the result says why (spec E63, E72).
 */
export async function closeRun(
  session: StreamSession,
  result: StreamResult,
  record: Readonly<Record<string, unknown>>,
): Promise<StreamResult> {
  try {
    await session.engine.catalog.closeRun(session.runId, session.settings.catalogKey, record)
    return result
  } catch (error) {
    if (!(error instanceof PlimsollError)) throw error
    return { ...result, error: result.error ?? error }
  }
}
