import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Engine } from '../../extract/engine.ts'
import { readRecord } from '../../extract/record-view.ts'
import type { StreamSettings } from '../../extract/settings.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import { auditStreams } from '../audit/audit-streams.ts'
import { latenessKnowledge } from '../lateness/knowledge.ts'
import type { AuditNamed, History } from './history.ts'
import { type Performing, performLoad } from './perform-load.ts'
import { startReading } from './perform-reads.ts'
import { type ProgramToRun, startPipeline } from './pipeline-process.ts'
import { writeCopy, writeRuns } from './plimsoll-copy.ts'

export interface Rehearsal extends Performing {
  readonly program: ProgramToRun
  /** The catalog of the pipeline under the load, and the stream's name in it. */
  readonly catalog: Catalog
  readonly catalogKey: string
  /** Opens the same pipeline in this process, once the program has ended. */
  readonly look: (work: (engine: Engine, settings: StreamSettings) => Promise<void>) => Promise<void>
  readonly say: (text: string) => void
}

/** The first load of the stand-in table. */
const FIRST_RUN_MAX_MS = 120_000
/** From the last commit until the watermark has passed it and one more run has ended. */
const SETTLE_MAX_MS = 300_000
const POLL_MS = 100

/** Lets a plan happen and writes its history; judging it is another matter (assurance A48, A52). */
export async function rehearse(rehearsal: Rehearsal): Promise<void> {
  const { load, stage, plan, history, say, signal } = rehearsal
  // Every writer waits on it.
  setMaxListeners(0, signal)
  history.add({ kind: 'head', head: plan.head, planned: plan.transactions.flat().length })
  await load.setUp(stage)
  try {
    const pipeline = startPipeline(rehearsal.program, plan.kills, history)
    const orFailed = <T>(work: Promise<T>): Promise<T> => Promise.race([work, pipeline.failed])
    try {
      await orFailed(waitFor(rehearsal, FIRST_RUN_MAX_MS, (runs) => runs.length > 0, 'the first load'))
      const reading = await startReading(rehearsal)
      try {
        say(`load: ${plan.head.actors} writers, ${plan.head.durationMs / 1_000} s`)
        await Promise.race([performLoad(rehearsal), reading.failed, pipeline.failed])
      } finally {
        await reading.stop()
      }
      if (!signal.aborted) await orFailed(settle(rehearsal))
    } finally {
      await pipeline.stop()
    }
    if (signal.aborted) return
    await writeTruth(rehearsal)
    await rehearsal.look(async (engine, settings) => {
      await writeRuns(engine, settings, history)
      await writeCopy(engine, settings, history)
      await writeAudit(engine, settings, history)
    })
  } finally {
    await load.tearDown(stage)
  }
}

/** Until the watermark has passed the last stamp, and one more run after that. */
async function settle(rehearsal: Rehearsal): Promise<void> {
  const { load, stage, say } = rehearsal
  const reader = await load.openReader(stage)
  const newest = BigInt((await reader.newest()) ?? '0')
  await reader.close()
  say('the writers have ended: waiting until the watermark has passed the last row, and one run more')
  let passedAt: number | undefined
  await waitFor(
    rehearsal,
    SETTLE_MAX_MS,
    (runs) => {
      const last = runs[0]
      const watermark = last?.watermark
      if (watermark === undefined || watermark <= newest) return false
      passedAt ??= last!.sequence
      return last!.sequence > passedAt
    },
    'the last run',
  )
}

interface Run {
  readonly sequence: number
  readonly watermark: bigint | undefined
}

async function waitFor(
  { catalog, catalogKey, signal }: Rehearsal,
  maxMs: number,
  isDone: (newestFirst: readonly Run[]) => boolean,
  what: string,
): Promise<void> {
  const untilMs = performance.now() + maxMs
  while (!signal.aborted) {
    const runs = (await catalog.records(catalogKey, 1)).flatMap((record) => {
      const { outcome, watermark_after } = readRecord(record)
      if (outcome !== 'advanced' && outcome !== 'empty') return []
      const watermark = watermark_after ? BigInt(watermark_after.value) : undefined
      return [{ sequence: record.sequence, watermark }]
    })
    if (isDone(runs)) return
    if (performance.now() > untilMs) {
      throw new PlimsollError('SOURCE_FAILED', `${what} did not come within ${maxMs / 1_000} s`, {
        hint: 'The log of the pipeline lies in the folder of the rehearsal.',
      })
    }
    await sleep(POLL_MS)
  }
}

async function writeTruth({ load, stage, history }: Rehearsal): Promise<void> {
  const reader = await load.openReader(stage)
  try {
    const rows = await reader.read({})
    history.add({
      kind: 'truth',
      rows: rows.map(({ key, version, positionUs }) => [key, version, positionUs]),
    })
  } finally {
    await reader.close()
  }
}

/** Nothing moves any more: the second look need not wait for a run (spec A11). */
const AUDIT_LIMITS = { secondLookMs: 0, secondLookMaxMs: 1, listMaxRows: 1_000_000 } as const

async function writeAudit(engine: Engine, settings: StreamSettings, history: History): Promise<void> {
  const quick = { ...settings, limits: { ...settings.limits, ...AUDIT_LIMITS } }
  const { streams, notLooked } = await auditStreams(
    engine,
    [quick],
    { window: 'full', content: true },
    (each) => latenessKnowledge(engine, each),
    () => {},
  )
  const named = streams.flatMap(({ findings }) =>
    findings.map(({ key, verdict, mechanism }): AuditNamed => ({ key: key[0]!, verdict, mechanism })),
  )
  history.add({ kind: 'audit', named, notLooked: notLooked[0]?.reason ?? null })
}
