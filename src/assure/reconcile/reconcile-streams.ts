import type { Engine } from '../../extract/engine.ts'
import type { DeleteMode, StreamSettings } from '../../extract/settings.ts'
import { auditStream, type StreamAudit } from '../audit/audit-stream.ts'
import { keepAudit } from '../audit/keep-audit.ts'
import type { LatenessKnowledge } from '../audit/lateness-knowledge.ts'
import { raiseAlarms } from '../audit/raise-alarms.ts'
import { type CheckSession, openCheck } from '../check-session.ts'
import { type CheckAnswer, eachStream } from '../each-stream.ts'
import { refusesRemoval } from '../repair/may-remove.ts'
import { repairStream } from '../repair/repair-stream.ts'

export interface ReconcileAsked {
  /** 1: key and position; 4: every column of every row (spec A23). */
  readonly level: 1 | 4
  readonly deletes: DeleteMode | undefined
  /** A line for people while a check waits. */
  readonly say?: (text: string) => void
}

export interface StreamReconcile extends StreamAudit {
  /** What was done about rows that are gone at the source. */
  readonly deletes: {
    readonly mode: DeleteMode
    readonly removed: number
    readonly refused: string | undefined
  }
}

export type ReconcileAnswer = CheckAnswer<StreamReconcile>

/** Compares streams whole, and settles what is gone at the source as configured (spec A23, A27). */
export function reconcileStreams(
  engine: Engine,
  streams: readonly StreamSettings[],
  asked: ReconcileAsked,
  knowledgeOf: (settings: StreamSettings) => Promise<LatenessKnowledge>,
  done: (result: StreamReconcile) => void,
): Promise<ReconcileAnswer> {
  return eachStream(
    engine.signal,
    streams,
    async (settings) => {
      const check = await openCheck(engine, settings)
      const request = {
        check,
        checkId: `r-${engine.newRunId()}`,
        kind: 'reconcile',
        word: asked.level === 1 ? 'position' : 'row',
        window: undefined,
        limits: settings.limits,
        knowledge: await knowledgeOf(settings),
        say: asked.say,
      } as const
      const kept = await keepAudit(request, await auditStream(request))
      const result = await settleDeletes(check, kept, asked.deletes)
      await raiseAlarms(check, result)
      return result
    },
    done,
  )
}

/** Rows that two looks found gone at the source become removals or marks, within the limits of spec A27. */
async function settleDeletes(
  check: CheckSession,
  audit: StreamAudit,
  typed: DeleteMode | undefined,
): Promise<StreamReconcile> {
  const mode = typed ?? check.settings.deletes
  const extra = audit.findings.filter(({ verdict, state }) => verdict === 'EXTRA' && state === 'confirmed')
  const nothing = { ...audit, deletes: { mode, removed: 0, refused: undefined } }
  if (extra.length === 0 || mode === 'report') return nothing
  const count = audit.counts.extra ?? extra.length
  const refused = audit.atLeast
    ? 'the comparison was cut'
    : typed === undefined && (await hasLostPartitions(check))
      ? 'partitions are gone from the table: their rows may be kept elsewhere; a person says what becomes of them'
      : refusesRemoval(check, count, BigInt(audit.sourceRows))
  if (refused !== undefined) return { ...nothing, deletes: { mode, removed: 0, refused } }
  const { engine, settings } = check
  const { runId, removed, removedKeys } = await repairStream({
    engine,
    settings,
    check,
    land: [],
    duplicates: [],
    remove: extra.map(({ keyText }) => keyText),
    removal: mode,
    reason: `deletes found by ${audit.checkId}`,
  })
  const changedUs = String(engine.catalog.nowUs())
  const closed = extra
    .filter(({ keyText }) => removedKeys.has(keyText))
    .map((finding) => ({ ...finding, state: 'repaired', closedBy: runId, changedUs }) as const)
  await engine.catalog.putFindings(closed)
  const ids = new Map(closed.map((finding) => [finding.id, finding]))
  const findings = audit.findings.map((finding) => ids.get(finding.id) ?? finding)
  return { ...audit, findings, deletes: { mode, removed, refused: undefined } }
}

/** A run has taken note that partitions are gone, and no clean check has followed. */
async function hasLostPartitions({ engine, settings }: CheckSession): Promise<boolean> {
  const open = await engine.catalog.alarms(true)
  return open.some(({ stream, name }) => stream === settings.catalogKey && name === 'partition_detached')
}
