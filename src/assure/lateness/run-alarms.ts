import type { Alarm } from '../../catalog/catalog.ts'
import { readRecord } from '../../extract/record-view.ts'
import {
  isResolved,
  judgeLateness,
  LATENESS_ALARMS,
  type LatenessAlarm,
  type LatenessFacts,
} from './judge.ts'
import type { History } from './learned.ts'
import type { MeasuredRun } from './measured-run.ts'
import { latenessScope, startOfDay } from './store.ts'

const NAME = 'alarms'

/** When the condition of each alarm held last, µs by the source's clock, as text. */
type LastTrue = Partial<Record<LatenessAlarm, string>>

/** Raises what holds after a run, and resolves what has been over for long enough (assurance A40, A59). */
export async function raiseAfterRun(run: MeasuredRun, facts: LatenessFacts, history: History): Promise<void> {
  const { engine, settings } = run.session
  const { catalog } = engine
  const { catalogKey, stream } = settings
  const holds = judgeLateness(facts)
  for (const [name, text] of Object.entries(holds)) {
    // The run itself has raised it, with the key of the row (spec E42).
    if (name === 'lateness_near_overlap') continue
    await catalog.raiseAlarm(catalogKey, name, text, evidenceOf(facts))
    engine.emit({ kind: 'alarm', stream, name, text })
  }
  const lastTrue = await rememberTrue(run, Object.keys(holds) as LatenessAlarm[])
  const open = (await catalog.alarms(true)).filter((alarm) => alarm.stream === catalogKey)
  for (const name of LATENESS_ALARMS) {
    const alarm = open.find((each) => each.name === name)
    if (!alarm || holds[name] !== undefined) continue
    const lastTrueUs = BigInt(lastTrue[name] ?? alarm.raisedUs)
    const state = {
      name,
      lastTrueUs,
      measuredDays: measuredDaysSince(history, lastTrueUs),
      depth: depthIn(alarm),
      hasCleanAudit: name === 'lateness_beyond_overlap' && (await hasCleanAudit(run, alarm)),
    }
    if (isResolved(state, facts.overlap)) await catalog.resolveAlarm(catalogKey, name)
  }
}

const evidenceOf = ({ beyond }: LatenessFacts): string =>
  JSON.stringify({ depth: String(beyond.deepest), place: beyond.place })

function depthIn({ evidence }: Alarm): bigint {
  const said = evidence.startsWith('{') ? (JSON.parse(evidence) as { depth?: string }) : {}
  return BigInt(said.depth ?? '0')
}

async function rememberTrue(run: MeasuredRun, names: readonly LatenessAlarm[]): Promise<LastTrue> {
  const { catalog } = run.session.engine
  const scope = latenessScope(run.session.settings.catalogKey)
  const text = await catalog.memory(scope, NAME)
  const before = text === undefined ? {} : (JSON.parse(text) as LastTrue)
  if (names.length === 0) return before
  const now = { ...before, ...Object.fromEntries(names.map((name) => [name, String(run.t0Us)])) }
  await catalog.remember(scope, NAME, JSON.stringify(now), run.lease)
  return now
}

function measuredDaysSince({ commit, lateRows }: History, sinceUs: bigint): number {
  const days = [...commit, ...lateRows]
    .map(({ dayUs }) => dayUs)
    .filter((dayUs) => dayUs > startOfDay(sinceUs))
  return new Set(days).size
}

const RECORDS_LOOKED = 200

async function hasCleanAudit({ session }: MeasuredRun, alarm: Alarm): Promise<boolean> {
  const records = await session.engine.catalog.records(session.settings.catalogKey, RECORDS_LOOKED)
  return records.map(readRecord).some(({ kind, opened_us, counts }) => {
    const isLater = opened_us !== undefined && BigInt(opened_us) > alarm.raisedUs
    return (kind === 'audit' || kind === 'reconcile') && isLater && (counts?.findings ?? 0) === 0
  })
}
