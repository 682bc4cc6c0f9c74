import type { CompletenessNote } from '../destinations/destination.ts'
import { PlimsollError } from '../kernel/errors.ts'
import { certificateOf } from './certify.ts'
import type { Engine } from './engine.ts'
import type { StreamResult } from './results.ts'
import type { StreamSession } from './stream-session.ts'

/**
 * Closes the run with its record, and leaves the record's hash beside the data, so that neither can be rewritten alone
 * (spec A58). A process that stood still until another took the stream over finds its run closed
 * as abandoned: it finishes nothing, and the result says why (spec E63, E72).
 */
export async function closeRun(
  session: StreamSession,
  result: StreamResult,
  record: Readonly<Record<string, unknown>>,
): Promise<StreamResult> {
  try {
    const { engine, settings, runId, memory } = session
    const certificate = await certificateOf(session)
    const { hash } = await engine.catalog.closeRun(runId, settings.catalogKey, { ...record, ...certificate })
    const heldBy = holderOf(result)
    await noteAtDestination(engine, settings.stream, {
      recordHash: hash,
      decreeCount: memory.debts.length,
      ...(heldBy === undefined ? {} : { heldBy }),
    })
    return result
  } catch (error) {
    if (!(error instanceof PlimsollError)) throw error
    return { ...result, error: result.error ?? error }
  }
}

/** Why the watermark stands, for people with SQL only (spec A56); undefined where the run does not say. */
function holderOf({ error, outcome, heldBecause }: StreamResult): string | null | undefined {
  if (error) return `failing: ${error.code}: ${error.message}`
  if (outcome === 'held') return heldBecause ?? 'the fence has not passed the watermark'
  return outcome === 'failed' ? undefined : null
}

/** Tells the destination; where it cannot be told now, the next run does. */
export async function noteAtDestination(
  engine: Engine,
  stream: string,
  note: CompletenessNote,
): Promise<void> {
  try {
    await engine.destination.noteCompleteness(stream, note)
  } catch (error) {
    if (!(error instanceof PlimsollError)) throw error
  }
}
