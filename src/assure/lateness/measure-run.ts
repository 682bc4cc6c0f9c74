import { latenessDepth } from '../../kernel/lateness.ts'
import type { CommitTime } from '../../sources/source.ts'
import { askCommitTimes } from './ask-commit-times.ts'
import { measureCommitRows } from './commit-rows.ts'
import { emptyEntry } from './entry.ts'
import { measureLateRows } from './late-rows.ts'
import type { MeasuredRun } from './measured-run.ts'
import { measureLooks, type WriterLook } from './open-looks.ts'
import { addToStore, hasMeasured, startOfDay } from './store.ts'

/** What a run showed that alarms look at; amounts in overlap units. */
export interface RunShowed {
  readonly deepestLate: bigint
  readonly beyond: { readonly count: number; readonly deepest: bigint; readonly place: string }
}

/** What the watch knows beside the run. */
export interface Surroundings {
  /** More is no lateness but an old date (assurance A20). */
  readonly ceilingUs: bigint
  readonly looks: readonly WriterLook[]
  /** The source's clock when the run before had ended; undefined when that was not seen. */
  readonly previousEndUs: bigint | undefined
}

/** Measures a run in the three ways and keeps each apart (assurance A34 to A37). */
export async function measureRun(run: MeasuredRun, around: Surroundings): Promise<RunShowed> {
  const { newRows: rows, seconds } = run
  const load = { runs: 1, rows, seconds }
  const dayUs = startOfDay(run.t0Us)
  const { catalog } = run.session.engine
  const { catalogKey } = run.session.settings
  const keep = (way: 'late_rows' | 'commit' | 'open', part: object): Promise<void> =>
    addToStore(catalog, catalogKey, { way, dayUs, entry: emptyEntry({ ...load, ...part }) }, run.lease)

  const late = measureLateRows({
    order: run.session.choice.order,
    oldWatermark: run.oldWatermark,
    overlap: run.overlap,
    t0Us: run.t0Us,
    receipts: run.session.recorder.sliceReceipts,
  })
  if (rows > 0 || !(await hasMeasured(catalog, catalogKey, 'late_rows', dayUs))) await keep('late_rows', late)
  if (rows > 0 && around.looks.length > 0) await keep('open', measureLooks(around.looks))
  const times = await askCommitTimes(run)
  if (!times) return { deepestLate: BigInt(late.deepest), beyond: NONE }
  const { measured, beyond } = measureCommitRows({
    rows: times,
    ceilingUs: around.ceilingUs,
    lower: run.range.lower,
    // Committed when the run before had ended: nobody can have read it.
    isNew: ({ committedUs }) => around.previousEndUs !== undefined && committedUs > around.previousEndUs,
  })
  await keep('commit', measured)
  return { deepestLate: BigInt(late.deepest), beyond: describeBeyond(run, beyond) }
}

const NONE = { count: 0, deepest: 0n, place: '' }

function describeBeyond(
  { session, oldWatermark }: MeasuredRun,
  { count, deepest }: { readonly count: number; readonly deepest: CommitTime | undefined },
): RunShowed['beyond'] {
  if (!deepest) return NONE
  const depth = latenessDepth(session.choice.order, oldWatermark, deepest.position)
  return { count, deepest: depth ?? 0n, place: deepest.place }
}
