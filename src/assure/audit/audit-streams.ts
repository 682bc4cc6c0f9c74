import type { Engine } from '../../extract/engine.ts'
import type { StreamSettings } from '../../extract/settings.ts'
import { isTimeLike } from '../../kernel/moment.ts'
import { openCheck } from '../check-session.ts'
import { NotLooked, type NotLookedAt, notLooked } from '../not-looked.ts'
import { auditStream, type StreamAudit } from './audit-stream.ts'
import { keepAudit } from './keep-audit.ts'
import type { LatenessKnowledge } from './lateness-knowledge.ts'
import { raiseAlarms, resolveRepaired } from './raise-alarms.ts'
import { repairByItself } from './repair-by-itself.ts'

/** What a person asked an audit to look at. */
export interface AuditAsked {
  /** µs below the settled bound; `full` for everything; undefined for the stream's own window. */
  readonly window: bigint | 'full' | undefined
  readonly content: boolean
  /** A line for people while a check waits. */
  readonly say?: (text: string) => void
}

export interface AuditAnswer {
  readonly streams: readonly StreamAudit[]
  readonly notLooked: readonly NotLookedAt[]
}

/** Audits streams one after the other (spec A5); each ends with a verdict or with the reason why not (A2). */
export async function auditStreams(
  engine: Engine,
  streams: readonly StreamSettings[],
  asked: AuditAsked,
  knowledgeOf: (settings: StreamSettings) => Promise<LatenessKnowledge>,
  done: (audit: StreamAudit) => void,
): Promise<AuditAnswer> {
  const audits: StreamAudit[] = []
  const failures: NotLookedAt[] = []
  for (const settings of streams) {
    try {
      if (engine.signal?.aborted) throw new NotLooked('source', 'told to stop before it was looked at')
      const check = await openCheck(engine, settings)
      const request = {
        check,
        checkId: `a-${engine.newRunId()}`,
        kind: 'audit',
        word: asked.content ? 'row' : 'position',
        window: windowOf(
          settings,
          check.shape.rowCountEstimate,
          isTimeLike(check.choice.order),
          asked.window,
        ),
        limits: settings.limits,
        knowledge: await knowledgeOf(settings),
        say: asked.say,
      } as const
      const kept = await keepAudit(request, await auditStream(request))
      await raiseAlarms(check, kept)
      const repaired = await repairByItself(check, kept)
      if (repaired > 0) await resolveRepaired(check)
      const audit = { ...kept, counts: repaired > 0 ? { ...kept.counts, repaired } : kept.counts }
      audits.push(audit)
      done(audit)
    } catch (error) {
      failures.push(notLooked(settings.stream, error))
    }
  }
  return { streams: audits, notLooked: failures }
}

/** Small tables whole, large ones the last `auditWindow`; counters have no window in time (spec A14). */
function windowOf(
  settings: StreamSettings,
  rowCount: number | undefined,
  isTimed: boolean,
  asked: AuditAsked['window'],
): bigint | undefined {
  if (asked === 'full' || !isTimed) return undefined
  if (asked !== undefined) return asked
  const isSmall = (rowCount ?? Number.POSITIVE_INFINITY) <= settings.limits.fullAuditMaxRows
  return isSmall ? undefined : BigInt(settings.limits.auditWindowMs) * 1000n
}
