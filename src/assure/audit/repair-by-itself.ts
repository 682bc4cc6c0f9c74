import type { CheckSession } from '../check-session.ts'
import { repairAsked } from '../repair/repair-asked.ts'
import type { StreamAudit } from './audit-stream.ts'

/**
 * Repairs what the settings name, when it is little: confirmed findings of these mechanisms, rows landed and never removed
 * (spec A33). The alarm was raised before; findings that are alike afterwards are closed. Returns how many were.
 */
export async function repairByItself(
  { engine, settings }: CheckSession,
  audit: StreamAudit,
): Promise<number> {
  const chosen = audit.findings.filter(
    ({ state, verdict, mechanism }) =>
      state === 'confirmed' &&
      verdict !== 'EXTRA' &&
      settings.autoRepair.includes(verdict === 'BACKDATED' ? 'backdated' : mechanism),
  )
  if (chosen.length === 0 || chosen.length > settings.limits.autoRepairMaxRows || audit.atLeast) return 0
  const ids = chosen.map(({ id }) => id)
  const answer = await repairAsked(engine, settings, {
    keys: { kind: 'findings', ids },
    apply: true,
    deletes: 'report',
  })
  return answer.closedFindings
}
