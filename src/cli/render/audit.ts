import { type Alert, alertsOf } from '../../assure/audit/alert.ts'
import type { StreamAudit } from '../../assure/audit/audit-stream.ts'
import type { NotLookedAt } from '../../assure/not-looked.ts'
import type { StreamReconcile } from '../../assure/reconcile/reconcile-streams.ts'
import type { Finding } from '../../kernel/finding.ts'
import type { Colour } from './colour.ts'
import { plural } from './quantity.ts'
import { renderFields } from './table.ts'

/** One stream's verdict: a head line, an alert for each kind of finding, and how far the verdict reaches (spec A4, A21). */
export function renderAudit(audit: StreamAudit, colour: Colour): string {
  const count = audit.counts.findings ?? 0
  const amount = `${audit.atLeast ? 'at least ' : ''}${plural(count, 'finding')}`
  const head =
    count === 0
      ? `${colour.green('✓')} ${colour.bold(audit.stream)}  nothing missing`
      : `${colour.red('✗')} ${colour.bold(audit.stream)}  ${amount}${audit.capped ? `, the first ${audit.findings.length} kept` : ''}`
  const alerts = confirmedAlerts(audit).map((alert) => renderAlert(alert, colour))
  const others = (['suspected', 'moving', 'withdrawn'] as const)
    .filter((state) => (audit.counts[state] ?? 0) > 0)
    .map((state) => `${audit.counts[state]} ${NOTES[state]}`)
  const notes = others.length > 0 ? [`  ${others.join('; ')}`] : []
  return [head, ...alerts, ...notes, `  ${colour.dim(audit.residual)}`].join('\n')
}

/** The same for a whole comparison, with what was done about rows that are gone at the source (spec A27). */
export function renderReconcile(result: StreamReconcile, colour: Colour): string {
  const { mode, removed, refused } = result.deletes
  const done = mode === 'mark' ? 'marked as deleted' : 'removed'
  const lines = [
    ...(removed > 0 ? [`  ${plural(removed, 'row')} gone at the source: ${done}`] : []),
    ...(refused === undefined
      ? []
      : [
          `  nothing was ${done}: ${refused}. Look first; then plimsoll repair ${result.stream} --findings ${result.checkId} --deletes ${mode} --apply`,
        ]),
  ]
  return [renderAudit(result, colour), ...lines].join('\n')
}

const NOTES = {
  suspected: 'suspected: they count once the next run has not brought them',
  moving: 'changed at every look',
  withdrawn: 'withdrawn at the second look',
} as const

function confirmedAlerts(audit: StreamAudit): readonly Alert[] {
  return alertsOf(
    audit.findings.filter(({ state }) => state === 'confirmed'),
    {
      stream: audit.stream,
      positionColumn: audit.positionColumn,
      watermark: audit.watermark,
      checkId: audit.checkId,
    },
  )
}

export function renderAlert(alert: Alert, colour: Colour): string {
  const head = `${colour.red(alert.verdict)}  ${alert.stream}  ${plural(alert.count, 'row')}  ${colour.bold(alert.sentence)}`
  return `${head}\n${renderFields(
    alert.lines.map(({ name, text }) => [name, text] as const),
    '  ',
  )}`
}

export function renderNotLooked({ stream, side, reason, hint }: NotLookedAt, colour: Colour): string {
  return `${colour.yellow('?')} ${colour.bold(stream)}  not looked at (${side}): ${reason}${hint ? `\n  ${hint}` : ''}`
}

/** The answer as data (spec A15). */
export function auditToJson(answer: {
  readonly streams: readonly StreamAudit[]
  readonly notLooked: readonly NotLookedAt[]
}): Readonly<Record<string, unknown>> {
  return {
    streams: answer.streams.map((audit) => ({
      stream: audit.stream,
      audit: audit.checkId,
      generation: audit.generation,
      watermark: audit.watermark,
      settled_before: audit.settledBefore,
      scope: audit.scope,
      looked: audit.looked,
      counts: audit.counts,
      at_least: audit.atLeast,
      findings: audit.findings.map(findingToJson),
      capped: audit.capped,
      residual: audit.residual,
    })),
    not_looked: answer.notLooked,
  }
}

export function findingToJson(finding: Finding): Readonly<Record<string, unknown>> {
  const { id, key, verdict, mechanism, grade, state, columns, evidence } = finding
  return {
    id,
    key,
    verdict,
    mechanism,
    grade,
    state,
    source_position: finding.sourcePosition,
    destination_position: finding.destinationPosition,
    columns,
    evidence,
    closed_by: finding.closedBy,
  }
}
