import { MISSING_VERDICTS, OPEN_STATES } from '../kernel/finding.ts'
import { boundsOf } from './record.ts'
import type { StreamSession } from './stream-session.ts'

/**
 * What makes a run's record a certificate (spec A57): the level of the claim, the instant it is complete through, holes
 * and debts, and how many rows are known to be missing.
 */
export async function certificateOf(session: StreamSession): Promise<Readonly<Record<string, unknown>>> {
  const { catalog } = session.engine
  const counts = await catalog.countFindings(session.settings.catalogKey, OPEN_STATES)
  const open = Object.entries(counts).filter(([verdict]) => MISSING_VERDICTS.some((each) => each === verdict))
  return {
    closed_us: String(catalog.nowUs()),
    proof: session.claim.proof,
    complete_through: session.facts.completeness?.completeThroughUs ?? null,
    holes: session.coverage.filter(({ state }) => state === 'hole').map(boundsOf),
    open_decrees: session.memory.debts.map(({ key }) => key),
    open_findings: Object.fromEntries(open),
  }
}
