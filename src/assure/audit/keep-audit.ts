import { type Finding, OPEN_STATES } from '../../kernel/finding.ts'
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
    states: ['confirmed', 'suspected', 'moving', 'repaired'],
    limit: OPEN_LIMIT,
  })
  const findings = audit.findings.map((finding) => nameEarlier(finding, earlier))
  const superseded = supersede(earlier, findings, audit.checkId)
  await catalog.putFindings([...superseded, ...findings])
  await catalog.appendRecord(stream, {
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
    counts: Object.fromEntries(Object.entries(audit.counts).map(([name, count]) => [name, String(count)])),
    finding_count: String(audit.counts.findings ?? 0),
    at_least: audit.atLeast ? '1' : '0',
    residual: audit.residual,
    outcome: 'checked',
  })
  return { ...audit, findings }
}

/** Found, repaired, found again: the second record names the first (spec A15). */
function nameEarlier(finding: Finding, earlier: readonly Finding[]): Finding {
  const before = earlier.findLast(({ keyText }) => keyText === finding.keyText)
  return before ? { ...finding, evidence: { ...finding.evidence, earlier: before.id } } : finding
}

/** An open finding that is found again lives on in the new one. */
function supersede(
  earlier: readonly Finding[],
  findings: readonly Finding[],
  checkId: string,
): readonly Finding[] {
  const again = new Set(findings.map(({ keyText }) => keyText))
  return earlier
    .filter(({ keyText, state }) => again.has(keyText) && OPEN_STATES.includes(state))
    .map((finding) => ({ ...finding, state: 'withdrawn', closedBy: `found again by ${checkId}` }))
}
