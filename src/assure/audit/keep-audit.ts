import { type Finding, OPEN_STATES } from '../../kernel/finding.ts'
import { positionFromCanonical } from '../../kernel/fingerprint/position-text.ts'
import { comparePositions } from '../../kernel/position.ts'
import { tellDestination } from '../tell-destination.ts'
import type { AuditRequest, StreamAudit } from './audit-stream.ts'

const OPEN_LIMIT = 100_000

/**
 * Keeps what a check found: its findings and its record in the stream's chain (spec A15, A57). Findings of earlier checks
 * about the same keys are closed: found again they are named by the new one, gone within this scope they are withdrawn.
 */
export async function keepAudit(request: AuditRequest, audit: StreamAudit): Promise<StreamAudit> {
  const { check, kind, word } = request
  const { catalog } = check.engine
  const stream = check.settings.catalogKey
  const earlier = await catalog.findings({
    stream,
    states: [...OPEN_STATES, 'repaired', 'accepted'],
    limit: OPEN_LIMIT,
  })
  const findings = audit.findings.map((finding) => nameEarlier(finding, earlier))
  await catalog.putFindings([...closeEarlier(request, audit, earlier, findings), ...findings])
  const counts = withoutAccepted(audit, findings)
  const { hash } = await catalog.appendRecord(stream, {
    run_id: audit.checkId,
    stream: check.settings.stream,
    kind,
    generation: String(audit.generation),
    opened_us: audit.openedUs,
    closed_us: String(catalog.nowUs()),
    word,
    plan_hash: check.plan.hash,
    from: audit.from,
    settled_before: audit.settledBefore,
    watermark: audit.watermark,
    looked_source_us: audit.looked.source,
    looked_destination_us: audit.looked.destination,
    counts: Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, String(count)])),
    finding_count: String(counts.findings ?? 0),
    at_least: audit.atLeast ? '1' : '0',
    residual: audit.residual,
    outcome: 'checked',
  })
  await tellDestination(check, hash)
  return { ...audit, counts, findings }
}

/** Found, repaired, found again: the second record names the first (spec A15). What was accepted stays accepted. */
function nameEarlier(finding: Finding, earlier: readonly Finding[]): Finding {
  const before = earlier.findLast(({ keyText }) => keyText === finding.keyText)
  if (!before) return finding
  const evidence = { ...finding.evidence, earlier: before.id }
  const isSame =
    before.verdict === finding.verdict &&
    before.sourcePosition === finding.sourcePosition &&
    before.destinationPosition === finding.destinationPosition &&
    (before.evidence.content_digest ?? finding.evidence.content_digest) === finding.evidence.content_digest
  if (before.state !== 'accepted' || !isSame || finding.state !== 'confirmed') return { ...finding, evidence }
  return { ...finding, evidence, state: 'accepted', closedBy: before.closedBy }
}

/** An open finding that is found again lives on in the new one; one that this check saw alike is withdrawn. */
function closeEarlier(
  request: AuditRequest,
  audit: StreamAudit,
  earlier: readonly Finding[],
  findings: readonly Finding[],
): readonly Finding[] {
  const again = new Set(findings.map(({ keyText }) => keyText))
  const sawAll = !audit.atLeast && !audit.capped
  return earlier
    .filter(({ state }) => OPEN_STATES.includes(state))
    .flatMap((finding): Finding[] => {
      if (again.has(finding.keyText))
        return [{ ...finding, state: 'withdrawn', closedBy: `found again by ${audit.checkId}` }]
      if (!sawAll || !covers(request, audit, finding)) return []
      return [{ ...finding, state: 'withdrawn', closedBy: `seen alike by ${audit.checkId}` }]
    })
}

/** Whether the check would have found it again: its words see such a difference, and its scope holds the row. */
function covers(
  { check, word }: AuditRequest,
  audit: StreamAudit,
  { verdict, sourcePosition }: Finding,
): boolean {
  const needsContent = verdict === 'UNBUMPED' || verdict === 'TRANSIT' || verdict === 'KEY_CHANGED'
  if (needsContent && word !== 'row') return false
  if (audit.from === null) return true
  const { order } = check.choice
  const [position, from] = [sourcePosition, audit.from].map((text) =>
    text === null ? undefined : positionFromCanonical(order, text),
  )
  return position !== undefined && from !== undefined && comparePositions(position, from) >= 0
}

/** Accepted findings are listed and count no more. */
function withoutAccepted({ counts }: StreamAudit, findings: readonly Finding[]): StreamAudit['counts'] {
  const accepted = findings.filter(({ state }) => state === 'accepted').length
  if (accepted === 0) return counts
  return { ...counts, findings: (counts.findings ?? 0) - accepted, accepted }
}
