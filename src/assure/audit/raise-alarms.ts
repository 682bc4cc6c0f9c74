import { type Finding, OPEN_STATES } from '../../kernel/finding.ts'
import type { CheckSession } from '../check-session.ts'
import { alertsOf } from './alert.ts'
import type { StreamAudit } from './audit-stream.ts'
import { ALARM_OF, storyOf } from './sentence.ts'

const OPEN_LIMIT = 100_000

/**
 * Raises an alarm for each kind of finding that is open, and resolves those of which none is: everything repaired or
 * accepted, and this check clean (spec A59). A check that was cut resolves nothing.
 */
export async function raiseAlarms(check: CheckSession, audit: StreamAudit): Promise<void> {
  const { catalog } = check.engine
  const { catalogKey } = check.settings
  const open = await catalog.findings({ stream: catalogKey, states: OPEN_STATES, limit: OPEN_LIMIT })
  const confirmed = open.filter(({ state }) => state === 'confirmed')
  for (const alarm of new Set(Object.values(ALARM_OF))) {
    const mine = confirmed.filter((finding) => ALARM_OF[storyOf(finding)] === alarm)
    if (mine.length > 0) await raise(check, audit, alarm, mine)
    else if (!audit.atLeast) await catalog.resolveAlarm(catalogKey, alarm)
  }
}

async function raise(
  check: CheckSession,
  audit: StreamAudit,
  alarm: string,
  findings: readonly Finding[],
): Promise<void> {
  const alerts = alertsOf(findings, {
    stream: check.settings.stream,
    positionColumn: check.choice.order.column,
    watermark: audit.watermark,
    checkId: audit.checkId,
  })
  const text = alerts.map((alert) => alert.sentence).join(' ')
  await check.engine.catalog.raiseAlarm(check.settings.catalogKey, alarm, text, findings[0]?.checkId ?? '')
}
