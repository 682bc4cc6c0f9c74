import { empiricalLaw } from '../../kernel/forecast/empirical-law.ts'
import { lostByClockBound, lostByDataMark } from '../../kernel/forecast/late-commits.ts'
import { inClusters, pageBoundaryFrom, tieCensus } from '../../kernel/forecast/ties.ts'
import type { HistoryEvent, ReadEvent } from './history.ts'
import type { Rehearsed } from './judge.ts'
import { minuteShares } from './plan.ts'

/** What load-forecast says a reader should have lost in this history, beside what it lost. */
export type ForecastRow =
  | {
      readonly id: string
      readonly rule: string
      readonly expected: number
      readonly least: number
      readonly most: number
      readonly measured: number
    }
  | { readonly id: string; readonly notCovered: string }

/**
 * The forecast is an expectation over runs at random moments and stamps of a steady rate (load-forecast L10, L11); a
 * load has hot rows, and a busy machine does not keep a period. Beyond that, chance: three standard deviations of a count
 * whose rows come a transaction at a time (L2).
 */
const MODEL_SLACK = 0.3
const DEVIATIONS = 3
/** Rows in a grain, below which its ties cost less than a thousandth of a row a boundary (L6). */
const TIES_NEGLIGIBLE = 0.05
/** Minutes that are not so far from the busiest one count as one rate. */
const STEADY = 0.5

interface Survivor {
  readonly stampUs: string
  readonly latenessS: number
  readonly transaction: string
}

/**
 * Every row version that no later one covered is a row of the forecast: those lost earlier came back with the next
 * change (L28). Their lateness is taken from the history, so that only the moments of the runs are chance.
 */
export function checkForecast(
  history: readonly HistoryEvent[],
  { readers }: Rehearsed,
): readonly ForecastRow[] {
  const head = history.find((event) => event.kind === 'head')
  if (!head) return []
  const { survivors, written, perTransaction } = survivorsOf(history)
  const law = empiricalLaw(survivors.map(({ latenessS }) => ({ seconds: latenessS, count: 1 })))
  if (!law) return readers.map(({ id }) => ({ id, notCovered: 'no row was changed' }))
  const isSteady = minuteShares(head.head).every((share) => share >= STEADY)
  const rate = written / (head.head.durationMs / 1_000)
  const share = survivors.length / written
  const cluster = clusterSize(survivors)
  return readers.map(({ id, lost, stale }): ForecastRow => {
    const reads = history.filter((event): event is ReadEvent => event.kind === 'read' && event.reader === id)
    const period = meanPeriod(reads)
    if (period === undefined) return { id, notCovered: 'it hardly read' }
    if (!isSteady) return { id, notCovered: 'the load followed its hour, and the formulas want a steady one' }
    // Where a grain holds several rows, ties and late commits are lost together, and the formulas would count them twice.
    if ((rate * head.head.grainUs) / 1e6 > TIES_NEGLIGIBLE) {
      return { id, notCovered: 'rows share a grain, and are lost as ties and as late commits at once' }
    }
    const formula = FORMULAS[id]
    if (!formula) return { id, notCovered: 'not a case of load-forecast' }
    // A newer row moves the mark, and rows come a transaction at a time (L2).
    const dataMark = inClusters(rate, perTransaction, (each) => lostByDataMark(each, law, 0, period))
    const late =
      formula.clockLag === undefined ? dataMark : lostByClockBound(rate, law, formula.clockLag, period)
    const pages = formula.pages ? pageLosses(reads, survivors) : 0
    const expected = (reads.length * late + pages) * share
    const chance = DEVIATIONS * Math.sqrt(expected * cluster)
    return {
      id,
      rule: formula.rule,
      expected,
      least: Math.max(0, (1 - MODEL_SLACK) * expected - chance),
      most: (1 + MODEL_SLACK) * expected + chance,
      measured: lost + stale,
    }
  })
}

interface Formula {
  readonly rule: string
  readonly clockLag?: number
  readonly pages?: true
}

const FORMULAS: Readonly<Record<string, Formula>> = {
  after: { rule: 'E3 (L10)' },
  after_paged: { rule: 'E3 (L10) + E2 (L7)', pages: true },
  from: { rule: 'E3 (L10)' },
  composite: { rule: 'E3 (L10)' },
  max_first: { rule: 'E3 (L10)' },
  clock_1s: { rule: 'E4 (L11), c = 1 s', clockLag: 1 },
}

function survivorsOf(history: readonly HistoryEvent[]): {
  readonly survivors: readonly Survivor[]
  readonly written: number
  readonly perTransaction: number
} {
  const byVersion = new Map<string, Survivor>()
  for (const event of history) {
    if (event.kind !== 'transaction' || event.outcome !== 'committed') continue
    if (event.tag === 'backdated' || event.tag === 'unbumped') continue
    for (const [op, , version, stampUs] of event.writes) {
      if (op === 'delete') continue
      const latenessS = Math.max(0, Number(BigInt(event.endedUs) - BigInt(stampUs)) / 1e6)
      byVersion.set(version, { stampUs, latenessS, transaction: `${event.actor}/${event.n}` })
    }
  }
  const truth = history.find((event) => event.kind === 'truth')
  const survivors = (truth?.rows ?? []).flatMap(([, version]) => byVersion.get(version) ?? [])
  const transactions = new Set([...byVersion.values()].map(({ transaction }) => transaction)).size
  return { survivors, written: byVersion.size, perTransaction: byVersion.size / Math.max(1, transactions) }
}

/** Of the transaction that a row came with, in the mean over rows. */
function clusterSize(survivors: readonly Survivor[]): number {
  const sizes = groupSizes(survivors.map(({ transaction }) => transaction))
  return sizes.reduce((sum, n) => sum + n * n, 0) / survivors.length
}

/** Page boundaries after the first load, each inside a tie of the size that the data show. */
function pageLosses(reads: readonly ReadEvent[], survivors: readonly Survivor[]): number {
  const boundaries = reads.slice(1).reduce((sum, { pages }) => sum + pages - 1, 0)
  return boundaries * pageBoundaryFrom(tieCensus(groupSizes(survivors.map(({ stampUs }) => stampUs))))
}

function groupSizes(names: readonly string[]): readonly number[] {
  const sizes = new Map<string, number>()
  for (const name of names) sizes.set(name, (sizes.get(name) ?? 0) + 1)
  return [...sizes.values()]
}

function meanPeriod(reads: readonly ReadEvent[]): number | undefined {
  if (reads.length < 3) return undefined
  const [first, last] = [reads[0]!, reads.at(-2)!]
  return Number(BigInt(last.atUs) - BigInt(first.atUs)) / 1e6 / (reads.length - 2)
}
