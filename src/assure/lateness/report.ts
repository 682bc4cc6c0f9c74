import type { Catalog } from '../../catalog/catalog.ts'
import type { StreamSettings } from '../../extract/settings.ts'
import { samplesNeeded } from '../../kernel/forecast/evidence.ts'
import { fitFamilies } from '../../kernel/forecast/fit.ts'
import { latenessExponent } from '../../kernel/forecast/load-level.ts'
import { type BeyondMax, beyondMax, marginForLoss, marginsByNine } from '../../kernel/forecast/margin.ts'
import { type PastRunFacts, pastRuns, usualPeriod } from '../past-runs.ts'
import type { Entry } from './entry.ts'
import { loadHistory } from './history.ts'
import { type BusiestLateness, busiestLateness } from './learned.ts'
import { type LevelReport, levelReports } from './level-report.ts'
import { allTogether } from './levels.ts'
import { countAbove, sketchCount, sketchMean, sketchQuantile } from './sketch.ts'
import { KEPT_DAYS, latenessScope } from './store.ts'

/** What `plimsoll lateness` says of a stream (assurance A39). Times in seconds, losses in rows. */
export interface LatenessReport {
  readonly stream: string
  /** What depths of late rows are counted in: µs, or positions of a counter. */
  readonly unit: 'us' | 'positions'
  /** How the present margin comes about; undefined when no run is known. */
  readonly overlapSeconds: number | undefined
  readonly overlapOrigin: string
  readonly settleSeconds: number
  readonly proof: string
  readonly periodSeconds: number | undefined
  readonly levels: readonly LevelReport[]
  readonly commit: Entry
  readonly lateRows: Entry
  readonly open: { readonly looks: number; readonly olderThanMargin: number | undefined }
  /** γ of load-forecast L19; undefined when lateness was measured at fewer than two levels. */
  readonly loadExponent: number | undefined
  readonly busiest: BusiestLateness | undefined
  readonly nines: readonly { readonly loss: number; readonly margin: number }[]
  readonly beyondMax: BeyondMax | undefined
  /** What families of the same figures would ask for; they decide nothing. */
  readonly families: readonly { readonly name: string; readonly margin: number }[]
  readonly lossRows: number
  readonly failure: { readonly code: string; readonly text: string; readonly runId: string } | undefined
}

const RUNS = 50
const DAY_SECONDS = 86_400

/** From the catalog alone; the source is not asked. */
export async function latenessReport(catalog: Catalog, settings: StreamSettings): Promise<LatenessReport> {
  const { catalogKey, fence, limits, overlap } = settings
  const history = await loadHistory(catalog, catalogKey, catalog.nowUs(), KEPT_DAYS)
  const runs = await pastRuns(catalog, catalogKey, RUNS)
  const margin = marginOf(settings, runs[0])
  const period = usualPeriod(runs)
  const levels = levelReports(history, {
    margin: margin.total,
    period: period ?? DAY_SECONDS,
  })
  const [commit, lateRows, open] = [history.commit, history.lateRows, history.open].map(allTogether) as [
    Entry,
    Entry,
    Entry,
  ]
  const busiest = busiestLateness(history.commit)
  const max = overlap?.kind === 'learned' ? Number(overlap.max) / 1e6 : DAY_SECONDS
  const lossRows = limits.latenessLossRows
  return {
    stream: settings.stream,
    unit: runs[0]?.order && !isInSeconds(runs[0].order) ? 'positions' : 'us',
    overlapSeconds: margin.overlap,
    overlapOrigin: runs[0]?.overlap?.origin ?? '',
    settleSeconds: fence.method === 'settle' ? fence.settleMs / 1000 : 0,
    proof: runs[0]?.proof ?? 'assumed',
    periodSeconds: period,
    levels,
    commit,
    lateRows,
    open: {
      looks: open.looks,
      olderThanMargin:
        open.looks > 0 && margin.total !== undefined
          ? countAbove(open.sketch, margin.total * 1e6) / open.looks
          : undefined,
    },
    loadExponent: exponentOf(levels),
    busiest,
    nines: busiest
      ? marginsByNine(
          busiest.rate,
          busiest.law,
          NINES.map((n) => n * lossRows),
        )
      : [],
    beyondMax: busiest && beyondMax(busiest.rate, busiest.law, lossRows, max),
    families: busiest ? familiesOf(commit, busiest.rate, lossRows) : [],
    lossRows,
    failure: await failureOf(catalog, catalogKey),
  }
}

/** The loss asked for, and what a nine more or less would be. */
const NINES = [100, 10, 1, 0.1] as const

function marginOf(
  { fence }: StreamSettings,
  run: PastRunFacts | undefined,
): { readonly overlap: number | undefined; readonly total: number | undefined } {
  if (!run?.overlap || !run.order || !isInSeconds(run.order)) return { overlap: undefined, total: undefined }
  const overlap = Number(run.overlap.amount) / 1e6
  return { overlap, total: overlap + (fence.method === 'settle' ? fence.settleMs / 1000 : 0) }
}

const isInSeconds = ({ kind, flavour }: { readonly kind: string; readonly flavour: string }): boolean =>
  kind === 'integer' ? flavour === 'epoch' : kind !== 'xid8'

function exponentOf(levels: readonly LevelReport[]): number | undefined {
  return latenessExponent(
    levels.flatMap(({ rate, meanSeconds, count }) =>
      meanSeconds !== undefined && count >= samplesNeeded(0.9) ? [{ rate, meanLateness: meanSeconds }] : [],
    ),
  )
}

function familiesOf({ sketch }: Entry, rate: number, loss: number): LatenessReport['families'] {
  if (sketchCount(sketch) < samplesNeeded(0.99)) return []
  const at = (q: number): number => sketchQuantile(sketch, q) / 1e6
  const figures = { mean: sketchMean(sketch) / 1e6, median: at(0.5), p90: at(0.9), p99: at(0.99) }
  return fitFamilies(figures).map(({ name, law }) => ({ name, margin: marginForLoss(rate, law, loss) }))
}

async function failureOf(catalog: Catalog, catalogKey: string): Promise<LatenessReport['failure']> {
  const text = await catalog.memory(latenessScope(catalogKey), 'failure')
  return text === undefined ? undefined : JSON.parse(text)
}
