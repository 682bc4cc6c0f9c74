import { PlimsollError } from '../../kernel/errors.ts'
import { type Finding, OPEN_STATES } from '../../kernel/finding.ts'
import { resolveRepaired } from '../audit/raise-alarms.ts'
import type { CheckSession } from '../check-session.ts'
import { tellDestination } from '../tell-destination.ts'

export interface Acceptance {
  readonly person: string
  readonly reason: string
}

/**
 * Closes findings without touching a row: somebody looked and takes them as they are. Who and why stand in the findings
 * and in the stream's chain of records (spec A15, A57). Returns how many were open.
 */
export async function acceptFindings(
  check: CheckSession,
  findings: readonly Finding[],
  { person, reason }: Acceptance,
): Promise<number> {
  if (reason.trim() === '') {
    throw new PlimsollError('USAGE', 'an acceptance needs a reason', {
      hint: '--accept "why these rows may differ"',
    })
  }
  const { catalog } = check.engine
  const open = findings.filter(({ state }) => OPEN_STATES.includes(state))
  const changedUs = String(catalog.nowUs())
  const closedBy = `accepted by ${person}: ${reason}`
  await catalog.putFindings(open.map((finding) => ({ ...finding, state: 'accepted', closedBy, changedUs })))
  const { hash } = await catalog.appendRecord(check.settings.catalogKey, {
    kind: 'acceptance',
    stream: check.settings.stream,
    opened_us: changedUs,
    person,
    reason,
    findings: open.map(({ id }) => id),
    outcome: 'accepted',
  })
  await resolveRepaired(check)
  await tellDestination(check, hash)
  return open.length
}
