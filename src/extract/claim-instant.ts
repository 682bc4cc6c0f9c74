import type { StoredClaim } from '../destinations/destination.ts'
import { factsOfClaim } from './completeness.ts'
import { writeFacts } from './facts.ts'
import type { StreamSession } from './stream-session.ts'

/**
 * A counter that has given no number since stands still, and so does its watermark; yet the claim is complete through a
 * later instant, and says so (spec A55).
 */
export async function claimInstant(session: StreamSession): Promise<void> {
  const { claim, memory } = session
  const facts = factsOfClaim(session.facts, session.choice.order, claim.watermark, memory.debts)
  const us = facts.completeness?.completeThroughUs
  if (us === session.facts.completeness?.completeThroughUs) return
  session.lease.assertHeld()
  const later: StoredClaim = { ...claim, facts: writeFacts(facts) }
  await session.engine.destination.writeClaim(later, claim)
  session.claim = later
  session.facts = facts
}
