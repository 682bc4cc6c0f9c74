import { noteAtDestination } from '../extract/close-run.ts'
import { MISSING_VERDICTS, OPEN_STATES } from '../kernel/finding.ts'
import type { CheckSession } from './check-session.ts'

/** For people with SQL only: how many rows are known to be missing, and the head of the chain (spec A15, A56). */
export async function tellDestination(
  { engine, settings }: CheckSession,
  recordHash: string | undefined,
): Promise<void> {
  const counts = await engine.catalog.countFindings(settings.catalogKey, OPEN_STATES)
  const lostRowCount = MISSING_VERDICTS.reduce((sum, verdict) => sum + (counts[verdict] ?? 0), 0)
  await noteAtDestination(engine, settings.stream, {
    lostRowCount,
    ...(recordHash === undefined ? {} : { recordHash }),
  })
}
