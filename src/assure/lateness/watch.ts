import type { Catalog } from '../../catalog/catalog.ts'
import type { Attempted } from '../../extract/attempt.ts'
import type { EngineClock } from '../../extract/engine.ts'
import type { KnownLateness, LatenessWatch, WatchedStream } from '../../extract/lateness-watch.ts'
import type { StreamSession } from '../../extract/stream-session.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import { ceiling } from '../audit/gather-evidence.ts'
import { JUDGED_DAYS, loadHistory } from './history.ts'
import { type History, learnedLateness } from './learned.ts'
import { allTogether } from './levels.ts'
import { measureRun, type RunShowed } from './measure-run.ts'
import { type MeasuredRun, measuredRun } from './measured-run.ts'
import { raiseAfterRun } from './run-alarms.ts'
import type { Sampler } from './sampler.ts'
import { sketchCount } from './sketch.ts'
import { latenessScope, startOfDay } from './store.ts'
import { rememberWanted, wantedBefore } from './wanted.ts'

/** What the watch works with; `longestTransactionUs` is asked once a process. */
export interface WatchOptions {
  readonly catalog: Catalog
  readonly clock: Pick<EngineClock, 'nowMs'>
  readonly sampler: Sampler
  readonly longestTransactionUs: () => Promise<bigint | undefined>
}

/** Of one stream, while the process lives. */
interface Kept {
  /** By our own clock, just before the last fence. */
  askedMs: number
  history: History
  /** The last look of the sampler that went into this stream's sketches. */
  looked: number
}

const LAST_RUN = 'last_run'
const FAILURE = 'failure'
const DEFAULT_QUANTILE = 0.999

/** Measures lateness beside the runs and says what it knows when a fence is taken (assurance A34 to A40). */
export function createLatenessWatch(options: WatchOptions): LatenessWatch {
  const { catalog, clock, sampler } = options
  const streams = new Map<string, Kept>()
  let longest: Promise<bigint | undefined> | undefined

  const keptOf = async (catalogKey: string): Promise<Kept> => {
    const known = streams.get(catalogKey)
    if (known) return known
    const history = await loadHistory(catalog, catalogKey, catalog.nowUs(), JUDGED_DAYS)
    const kept = { askedMs: clock.nowMs(), history, looked: sampler.since(0).last }
    streams.set(catalogKey, kept)
    return kept
  }

  const measure = async (run: MeasuredRun): Promise<void> => {
    const { catalogKey } = run.session.settings
    const kept = await keptOf(catalogKey)
    await sampler.lookIfOld()
    const { looks, last } = sampler.since(kept.looked)
    longest ??= options.longestTransactionUs()
    const largestLatenessUs = BigInt(Math.ceil(allTogether(kept.history.commit).sketch.most))
    const showed = await measureRun(run, {
      ceilingUs: ceiling({ largestLatenessUs, longestTransactionUs: await longest }),
      looks,
      previousEndUs: await endOfRunBefore(catalog, run),
    })
    kept.looked = last
    const history = await loadHistory(catalog, catalogKey, run.t0Us, JUDGED_DAYS)
    kept.history = history
    await raiseAfterRun(run, factsOf(run, showed, history), history)
    const tookUs = BigInt(Math.ceil(Math.max(0, clock.nowMs() - kept.askedMs) * 1000))
    const endUs = String(run.t0Us + tookUs)
    const lastRun = JSON.stringify({ t0Us: String(run.t0Us), endUs })
    await catalog.remember(latenessScope(catalogKey), LAST_RUN, lastRun, run.lease)
  }

  return {
    async known({ settings }: WatchedStream): Promise<KnownLateness | undefined> {
      const { catalogKey, overlap, limits, fence } = settings
      const kept = await keptOf(catalogKey)
      kept.askedMs = clock.nowMs()
      const learned = learnedLateness(kept.history, {
        quantile: overlap?.kind === 'learned' ? overlap.quantile : DEFAULT_QUANTILE,
        lossRows: limits.latenessLossRows,
        isSettled: fence.method === 'settle',
      })
      return { ...learned, wantedBefore: await wantedBefore(catalog, catalogKey, catalog.nowUs()) }
    },
    async afterRun(session: StreamSession, attempted: Attempted): Promise<void> {
      const run = measuredRun(session, attempted)
      const { catalogKey } = session.settings
      try {
        if (!run) return void (await sampler.lookIfOld())
        const wanted = attempted.fenced.overlap.learned?.wanted
        if (wanted !== undefined) await rememberWanted(catalog, catalogKey, run.t0Us, wanted, run.lease)
        await measure(run)
      } catch (error) {
        if (!(error instanceof PlimsollError)) throw error
        await noteFailure(catalog, session, error)
      }
    },
  }
}

/** Undefined when the run before was not measured: then nobody can say what it saw last. */
async function endOfRunBefore(catalog: Catalog, run: MeasuredRun): Promise<bigint | undefined> {
  const text = await catalog.memory(latenessScope(run.session.settings.catalogKey), LAST_RUN)
  if (text === undefined) return undefined
  const { t0Us, endUs } = JSON.parse(text) as { readonly t0Us: string; readonly endUs: string }
  return BigInt(t0Us) === run.previousT0Us ? BigInt(endUs) : undefined
}

function factsOf(run: MeasuredRun, { beyond, deepestLate }: RunShowed, history: History) {
  const today = startOfDay(run.t0Us)
  const of = (isOfToday: boolean) =>
    allTogether(history.commit.filter(({ dayUs }) => (dayUs === today) === isOfToday)).sketch
  return {
    overlap: run.overlap,
    beyond,
    deepestLate,
    proof: run.session.claim.proof,
    sampleCount: sketchCount(allTogether(history.commit).sketch),
    today: of(true),
    before: of(false),
  }
}

/** Measuring never fails a run; that it did not work is kept for `plimsoll lateness`. */
async function noteFailure(catalog: Catalog, session: StreamSession, error: PlimsollError): Promise<void> {
  const note = { runId: session.runId, code: error.code, text: error.message, atUs: String(catalog.nowUs()) }
  await catalog
    .remember(latenessScope(session.settings.catalogKey), FAILURE, JSON.stringify(note))
    .catch((failure: unknown) => {
      if (!(failure instanceof PlimsollError)) throw failure
    })
}
