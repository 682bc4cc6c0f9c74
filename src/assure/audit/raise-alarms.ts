import { type Finding, OPEN_STATES } from '../../kernel/finding.ts'
import { positionFromCanonical } from '../../kernel/fingerprint/position-text.ts'
import { comparePositions } from '../../kernel/position.ts'
import type { CheckSession } from '../check-session.ts'
import { unsettledReceipts } from '../compare/unsettled-receipts.ts'
import { alertsOf } from './alert.ts'
import type { StreamAudit } from './audit-stream.ts'
import { ALARM_OF, storyOf } from './sentence.ts'

const OPEN_LIMIT = 100_000
const UNBUMPED_PAGE = 100

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
    else if (await isOver(check, audit, alarm)) await catalog.resolveAlarm(catalogKey, alarm)
  }
}

/** Of an alarm without open findings: whether this check looked where its rows had been missing (spec A13, A59). */
async function isOver(
  { engine: { catalog }, settings: { catalogKey }, choice: { order } }: CheckSession,
  audit: StreamAudit,
  alarm: string,
): Promise<boolean> {
  if (audit.atLeast || (alarm === 'rows_unbumped' && audit.word !== 'row')) return false
  const raised = (await catalog.alarms(true)).find(
    (each) => each.stream === catalogKey && each.name === alarm,
  )
  if (!raised) return false
  if (alarm === 'destination_lost_rows') {
    const short = await unsettledReceipts(catalog, catalogKey, { clean: true })
    if (short.length > 0) return false
  }
  const from = audit.from === null ? undefined : positionFromCanonical(order, audit.from)
  if (!from) return true
  const closed = await catalog.findings({ stream: catalogKey, states: ['repaired'], limit: OPEN_LIMIT })
  return closed.every((finding) => {
    if (ALARM_OF[storyOf(finding)] !== alarm || BigInt(finding.changedUs) < raised.raisedUs) return true
    const text = finding.sourcePosition ?? finding.destinationPosition
    const position = text === null ? undefined : positionFromCanonical(order, text)
    return position !== undefined && comparePositions(position, from) >= 0
  })
}

/** These are over when their rows are repaired, removed or accepted; the others want a clean check as well. */
const OVER_WHEN_CLOSED = ['rows_backdated', 'rows_extra']

/** Alarms that a repair or an acceptance alone resolves, once nothing of theirs is open (spec A33, A59). */
export async function resolveRepaired({ engine, settings }: CheckSession): Promise<void> {
  const { catalog } = engine
  const open = await catalog.findings({ stream: settings.catalogKey, states: OPEN_STATES, limit: OPEN_LIMIT })
  const stillOpen = new Set(open.map((finding) => ALARM_OF[storyOf(finding)]))
  for (const alarm of OVER_WHEN_CLOSED)
    if (!stillOpen.has(alarm)) await catalog.resolveAlarm(settings.catalogKey, alarm)
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
  const level = isPage(check, alarm, findings) ? 'page' : undefined
  await check.engine.catalog.raiseAlarm(
    check.settings.catalogKey,
    alarm,
    text,
    findings[0]?.checkId ?? '',
    level,
  )
}

/** When a notice is a page after all (spec A59); undefined leaves the table's level. */
function isPage({ settings }: CheckSession, alarm: string, findings: readonly Finding[]): boolean {
  if (alarm === 'rows_unbumped')
    return findings.length > UNBUMPED_PAGE || findings.some(({ verdict }) => verdict === 'TRANSIT')
  return alarm === 'rows_extra' && findings.length > settings.limits.deleteMaxRows
}
