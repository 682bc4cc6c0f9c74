import type { Engine } from '../../extract/engine.ts'
import type { StreamSettings } from '../../extract/settings.ts'
import { isTimeLike } from '../../kernel/moment.ts'
import { openCheck } from '../check-session.ts'
import { type CheckAnswer, eachStream } from '../each-stream.ts'
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

export type AuditAnswer = CheckAnswer<StreamAudit>

/** Audits streams: two looks, what was found kept and told, and repaired where the settings say so (spec A7 to A33). */
export function auditStreams(
  engine: Engine,
  streams: readonly StreamSettings[],
  asked: AuditAsked,
  knowledgeOf: (settings: StreamSettings) => Promise<LatenessKnowledge>,
  done: (audit: StreamAudit) => void,
): Promise<AuditAnswer> {
  return eachStream(
    engine.signal,
    streams,
    async (settings) => {
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
      return { ...kept, counts: repaired > 0 ? { ...kept.counts, repaired } : kept.counts }
    },
    done,
  )
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
