import type { Alarm, Catalog, Lease } from '../../catalog/catalog.ts'
import { loadMemory, type StreamMemory } from '../../extract/progress-state.ts'
import { type RecordView, readRecord } from '../../extract/record-view.ts'
import type { StreamSettings } from '../../extract/settings.ts'

/** What the catalog knows of a stream that an alarm may depend on; lists are newest first. */
export interface AlarmFacts {
  readonly settings: Pick<StreamSettings, 'stream' | 'limits'>
  /** By the catalog's clock. */
  readonly nowUs: bigint
  readonly runs: readonly RecordView[]
  readonly checks: readonly RecordView[]
  /** The first record of the stream, where nothing has checked it yet and something should have. */
  readonly first: RecordView | undefined
  readonly backfills: readonly RecordView[]
  readonly rewinds: readonly RecordView[]
  readonly memory: StreamMemory | undefined
  /** From one run to the next; undefined where nobody says. */
  readonly everyUs: bigint | undefined
  /** A run holds the lease now. */
  readonly isRunning: boolean
  readonly open: ReadonlyMap<string, Alarm>
}

/** Undefined: as it is. */
export type Judgement =
  | {
      readonly kind: 'raise'
      readonly text: string
      readonly evidence: string
      readonly level?: Alarm['level']
    }
  | { readonly kind: 'resolve' }
  | undefined

export type AlarmJudge = (facts: AlarmFacts, open: Alarm | undefined) => Judgement

export const RESOLVE = { kind: 'resolve' } as const

const RECENT = 4
const MANY = 200
const PERIOD = 'period_ms'

/** What is known of all streams at once. */
export interface SharedFacts {
  readonly nowUs: bigint
  readonly leases: readonly Lease[]
  readonly alarms: readonly Alarm[]
}

export async function gatherFacts(
  catalog: Catalog,
  settings: Pick<StreamSettings, 'stream' | 'catalogKey' | 'limits'>,
  { nowUs, leases, alarms }: SharedFacts,
): Promise<AlarmFacts> {
  const { catalogKey, limits } = settings
  const newest = async (limit: number, ...kinds: readonly string[]): Promise<readonly RecordView[]> => {
    const lists = await Promise.all(kinds.map((kind) => catalog.recordsOfKind(catalogKey, kind, limit)))
    const records = lists.flat().sort((a, b) => b.sequence - a.sequence)
    return records.slice(0, limit).map(readRecord)
  }
  const recent = await newest(RECENT, 'run', 'first_load')
  const checks = await newest(RECENT, 'audit', 'reconcile')
  const isUnchecked = checks.length === 0 && limits.auditEveryMs !== undefined
  const [first] = isUnchecked ? await catalog.recordsAfter(catalogKey, 0, 1) : []
  const said = limits.everyMs ?? Number((await catalog.memory(catalogKey, PERIOD)) ?? 0)
  const open = alarms.filter(({ stream, resolvedUs }) => stream === catalogKey && resolvedUs === undefined)
  return {
    settings,
    nowUs,
    // Only a stream in trouble needs its history: many streams are watched after every run.
    runs: recent.some((run, i) => isGood(run) || hasMoved(run, recent[i + 1]))
      ? recent
      : await newest(MANY, 'run', 'first_load'),
    checks,
    first: first && readRecord(first),
    backfills: open.length > 0 ? await newest(RECENT, 'backfill') : [],
    rewinds: open.length > 0 ? await newest(1, 'rewind') : [],
    memory: await loadMemory({ catalog }, catalogKey),
    everyUs: said > 0 ? BigInt(Math.round(said * 1000)) : undefined,
    isRunning: leases.some(({ stream, expiresUs }) => stream === catalogKey && expiresUs > nowUs),
    open: new Map(open.map((alarm) => [alarm.name, alarm])),
  }
}

/** `follow` says how often it runs, and forgets it when it is stopped: then nothing is due any more. */
export async function rememberPeriod(
  catalog: Catalog,
  catalogKey: string,
  everyMs: number | undefined,
): Promise<void> {
  await catalog.remember(catalogKey, PERIOD, everyMs === undefined ? undefined : String(everyMs))
}

/** When a record was closed, by the catalog's clock; of a run that died, when it began. */
export function endedUs({ closed_us, opened_us }: RecordView): bigint {
  return BigInt(closed_us ?? opened_us ?? '0')
}

export const isGood = ({ outcome, error }: RecordView): boolean =>
  !error && (outcome === 'advanced' || outcome === 'empty')

/** Where a counter has nothing new its watermark stands, but what it is complete through moves on. */
export function hasMoved(run: RecordView, before: RecordView | undefined): boolean {
  if (run.watermark_after?.value !== run.watermark_before?.value) return true
  const [now, then] = [run.complete_through, before?.complete_through]
  return now !== undefined && now !== null && before !== undefined && now !== then
}

/** An audit or reconcile that began after the alarm was raised and found nothing. */
export function cleanCheckSince({ checks }: AlarmFacts, alarm: Alarm): RecordView | undefined {
  return checks.find(
    ({ opened_us, counts }) => BigInt(opened_us ?? '0') > alarm.raisedUs && (counts?.findings ?? 0) === 0,
  )
}
