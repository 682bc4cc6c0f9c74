import type { StoredClaim } from '../../destinations/destination.ts'
import { saveMemory } from '../../extract/progress-state.ts'
import type { StreamSession } from '../../extract/stream-session.ts'
import type { CheckSession } from '../check-session.ts'

const PAGE_KEYS = 10_000

/** Removes or marks rows under the session's lease, each page with the claim, which stays where it is (spec A27, A32). */
export async function removeRows(
  session: StreamSession,
  check: CheckSession,
  keyTexts: readonly string[],
  mode: 'remove' | 'mark',
): Promise<number> {
  let removed = 0
  for (let from = 0; from < keyTexts.length; from += PAGE_KEYS) {
    session.lease.assertHeld()
    const batchId = `${session.runId}/${mode}/${session.claim.readSeq + 1}`
    const readSeq = session.claim.readSeq + 1
    // The rows landed last may be among those that go: the next run must not miss them (spec E60).
    const tailKeys = mode === 'remove' ? [] : session.claim.tailKeys
    const claimAfter: StoredClaim = { ...session.claim, readSeq, batch: batchId, tailKeys }
    removed += await session.engine.destination.remove({
      table: session.table,
      keyTexts: keyTexts.slice(from, from + PAGE_KEYS),
      plan: check.plan,
      mode,
      batchId,
      readSeq,
      epoch: session.lease.lease.epoch,
      claimBefore: session.claim,
      claimAfter,
    })
    session.claim = claimAfter
    session.memory = { ...session.memory, readSeq }
    await saveMemory(session.engine, session.lease, session.memory)
    await session.engine.reach('repair.page_landed')
  }
  return removed
}
