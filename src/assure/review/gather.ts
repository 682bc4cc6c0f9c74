import type { Catalog } from '../../catalog/catalog.ts'
import { choose } from '../../extract/choose.ts'
import type { StreamSettings } from '../../extract/settings.ts'
import { formatTimestampUs, US_PER_DAY } from '../../kernel/calendar.ts'
import { durationModel } from '../../kernel/forecast/run-duration.ts'
import { isTimeLike, usToPosition } from '../../kernel/moment.ts'
import type { EpochUnit, PositionOrder } from '../../kernel/order.ts'
import type { Position } from '../../kernel/position.ts'
import type { LoadFacts, Source } from '../../sources/source.ts'
import { loadHistory } from '../lateness/history.ts'
import { loadSamplerHistory } from '../lateness/sampler-history.ts'
import { samplerScope } from '../lateness/sampler-log.ts'
import { KEPT_DAYS } from '../lateness/store.ts'
import { type PastRunFacts, pastRuns, usualPeriod } from '../past-runs.ts'
import type { LoadAtPeak, ReviewFacts } from './facts.ts'
import { nearestLateness } from './nearest-lateness.ts'
import { pastChecks } from './past-checks.ts'
import { watchOldest } from './watch-oldest.ts'

/** What a review is made with. The destination is not asked: its kind says whether its merge uses an index. */
export interface ReviewMeans {
  readonly source: Source
  readonly catalog: Catalog
  readonly mergesByIndex: boolean
  readonly concurrency: number
  readonly memoryLimitBytes: number
}

const RUNS = 200
const CENSUS_ROWS = 1_000_000

/** Collects the facts of one stream: counts at the source, each bounded, and what the catalog remembers (assurance A46). */
export async function gatherFacts(
  means: ReviewMeans,
  settings: StreamSettings,
): Promise<{ readonly facts: ReviewFacts; readonly hasKey: boolean }> {
  const { source, catalog, concurrency, memoryLimitBytes } = means
  const { catalogKey, limits, fence } = settings
  const shape = await source.describe(settings.table, settings.position)
  const { order, key } = choose(settings, shape)
  const runs = await pastRuns(catalog, catalogKey, RUNS)
  const nowUs = catalog.nowUs()
  const counted = await countLoad(source, settings, shape, order, nowUs)
  const load = counted?.busiestMinute ? peakOf(counted, shape.rowCountEstimate) : peakOfRuns(runs)
  const history = await loadHistory(catalog, catalogKey, nowUs, KEPT_DAYS)
  const [last] = runs
  const targetRows = shape.rowCountEstimate
  const facts: ReviewFacts = {
    stream: settings.stream,
    load,
    grain: grainSeconds(order),
    ties: counted?.ties,
    reader: 'ranges',
    pageRows: limits.pageRows,
    period: usualPeriod(runs),
    overlap: last?.overlap && isTimeLike(order) ? Number(last.overlap.amount) / 1e6 : undefined,
    settle: fence.method === 'settle' ? fence.settleMs / 1000 : 0,
    proof: last?.proof === 'proven' || last?.proof === 'measured' ? last.proof : 'assumed',
    lateness: nearestLateness(history.commit, load?.rate),
    lossRows: limits.latenessLossRows,
    duration: durationModel(runsToFit(runs, targetRows, means.mergesByIndex)),
    targetRows,
    growth: growthOf(runs),
    memory:
      counted?.rowBytesP99 === undefined
        ? undefined
        : {
            rowBytes: counted.rowBytesP99,
            rowsInFlight: concurrency * limits.pageRows,
            limitBytes: memoryLimitBytes,
          },
    connections: counted?.connections && { ours: concurrency + 1, ...counted.connections },
    hold: await longestHold(means, runs, limits.holdAlarmMs / 1000),
    checks: await pastChecks(catalog, settings),
    retention: counted?.oldest && (await watchOldest(catalog, settings, order, counted.oldest)),
  }
  return { facts, hasKey: key.length > 0 }
}

async function countLoad(
  source: Source,
  { limits }: StreamSettings,
  shape: Awaited<ReturnType<Source['describe']>>,
  order: PositionOrder,
  nowUs: bigint,
): Promise<LoadFacts | undefined> {
  const [since, until] = isTimeLike(order)
    ? [usToPosition(order, nowUs - BigInt(KEPT_DAYS) * US_PER_DAY), usToPosition(order, nowUs)]
    : [counterAt(order, 0n), counterAt(order, LARGEST)]
  return source.loadFacts?.({
    shape,
    order,
    since,
    until,
    censusRows: CENSUS_ROWS,
    queryMaxMs: limits.checkQueryMaxMs,
    lockTimeoutMs: limits.lockTimeoutMs,
  })
}

const LARGEST = 2n ** 63n - 1n
const counterAt = (order: PositionOrder, value: bigint): Position => ({
  kind: order.kind === 'xid8' ? 'xid8' : 'integer',
  value,
})

const MINUTE = 60
const KEPT_SECONDS = KEPT_DAYS * 86_400

function peakOf(
  { busiestMinute, rowCount }: LoadFacts,
  tableRows: number | undefined,
): LoadAtPeak | undefined {
  if (!busiestMinute) return undefined
  const rows = rowCount ?? tableRows
  return {
    rate: busiestMinute.rowCount / MINUTE,
    mean: rows === undefined ? undefined : rows / KEPT_SECONDS,
    when: `${formatTimestampUs(BigInt(busiestMinute.startUs)).slice(0, 16)}Z`,
    from: 'source',
  }
}

/** The busiest of the last runs, by rows that no earlier run had. */
function peakOfRuns(runs: readonly PastRunFacts[]): LoadAtPeak | undefined {
  const rates = runs.slice(0, -1).flatMap((run, i) => {
    const seconds = Number(run.openedUs - runs[i + 1]!.openedUs) / 1e6
    return seconds > 0 && run.newRows > 0 ? [{ rate: run.newRows / seconds, at: run.openedUs }] : []
  })
  const [busiest] = rates.toSorted((a, b) => b.rate - a.rate)
  const span = runs.length > 1 ? Number(runs[0]!.openedUs - runs.at(-1)!.openedUs) / 1e6 : 0
  if (!busiest || span <= 0) return undefined
  const rows = runs.slice(0, -1).reduce((sum, run) => sum + run.newRows, 0)
  return {
    rate: busiest.rate,
    mean: rows / span,
    when: `${formatTimestampUs(busiest.at).slice(0, 16)}Z`,
    from: 'runs',
  }
}

const PER_SECOND: Readonly<Record<EpochUnit, number>> = { s: 1, ms: 1e3, us: 1e6, ns: 1e9 }

function grainSeconds(order: PositionOrder): number | undefined {
  if (!isTimeLike(order)) return undefined
  const perSecond = order.kind === 'integer' ? PER_SECOND[order.unit ?? 's'] : 1e6
  return Number(order.grain) / perSecond
}

/** Rows at the destination when each run ended: those of now, less what later runs inserted. */
function runsToFit(runs: readonly PastRunFacts[], rowsNow: number | undefined, mergesByIndex: boolean) {
  let targetRows = rowsNow ?? 0
  return runs.map(({ rowsRead, seconds, inserted }) => {
    const fit = {
      rows: rowsRead,
      targetRows: mergesByIndex || rowsNow === undefined ? 0 : targetRows,
      seconds,
    }
    targetRows -= inserted
    return fit
  })
}

function growthOf(runs: readonly PastRunFacts[]): number | undefined {
  if (runs.length < 2) return undefined
  const seconds = Number(runs[0]!.openedUs - runs.at(-1)!.openedUs) / 1e6
  const inserted = runs.slice(0, -1).reduce((sum, run) => sum + run.inserted, 0)
  return seconds > 0 ? inserted / seconds : undefined
}

async function longestHold(
  { catalog, source }: ReviewMeans,
  runs: readonly PastRunFacts[],
  alarmSeconds: number,
): Promise<ReviewFacts['hold']> {
  const scope = samplerScope(await source.identity())
  const { longestUs } = await loadSamplerHistory(catalog, scope, catalog.nowUs(), KEPT_DAYS)
  if (runs.length === 0 && longestUs === undefined) return undefined
  const longest = runs.reduce(
    (most, run) => (run.oldestTransactionUs > most ? run.oldestTransactionUs : most),
    longestUs ?? 0n,
  )
  return { longestSeconds: Number(longest) / 1e6, alarmSeconds }
}
