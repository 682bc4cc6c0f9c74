import { orderFromJson } from '../../extract/facts.ts'
import type { RecordView } from '../../extract/record-view.ts'
import { lowerBound } from '../../kernel/moment.ts'
import { comparePositions, type PositionJson, positionFromJson } from '../../kernel/position.ts'
import type { RangeJson } from '../../kernel/range.ts'
import type { ChainState } from './chain-state.ts'

const READS = new Set(['skip', 'run', 'first_load', 'backfill', 'repair'])

/**
 * Ranges follow each other without an unnamed hole, each from its predecessor's upper bound minus the overlap, and the
 * watermark never falls within a generation (spec A58, E12 to E14). Returns what is wrong, and takes the record in.
 */
export function checkRanges(state: ChainState, view: RecordView, sequence: number): string | undefined {
  const { kind = '', generation } = view
  if (generation === undefined || (kind !== 'rewind' && !READS.has(kind))) return undefined
  if (view.outcome === 'abandoned') return takeAbandoned(state, view, generation)
  const opens = generation !== state.generation
  if (state.generation !== undefined && generation < state.generation)
    return `is of generation ${generation}, after one of ${state.generation}`
  const what = kind === 'rewind' ? checkRewind(opens) : checkRead(state, view, opens)
  if (what !== undefined) return what
  state.generation = generation
  state.watermark = view.watermark_after ?? null
  state.toldBy = sequence
  return undefined
}

/** A run that died has moved the watermark by what it is known to have landed. */
function takeAbandoned(state: ChainState, view: RecordView, generation: number): undefined {
  const start = generation === state.generation ? (state.watermark ?? null) : null
  state.generation = generation
  state.watermark = cover(start, segmentsOf(view))
}

function checkRewind(opens: boolean): string | undefined {
  return opens ? undefined : 'lowers a watermark without a new generation'
}

function checkRead(state: ChainState, view: RecordView, opens: boolean): string | undefined {
  const before = view.watermark_before ?? null
  const after = view.watermark_after ?? null
  // The first record of a chain, or of a generation, begins at nothing, or says what it has adopted.
  const start = opens ? null : (state.watermark ?? null)
  if (isLess(before, start))
    return `begins at ${text(before)}; record ${state.toldBy} ended at ${text(start)}: the watermark fell`
  if (isLess(cover(start, view.adopted ?? []), before))
    return `begins at ${text(before)}; the records before it end at ${text(start)}: what lies between is a hole without a name`
  if (isLess(after, before)) return `takes the watermark back from ${text(before)} to ${text(after)}`
  const reached = cover(start, segmentsOf(view))
  if (isLess(reached, after))
    return `claims ${text(after)}; landed, adopted and named ranges reach ${text(reached)}: what lies between is a hole without a name`
  if (isLess(after, reached)) return `claims ${text(after)}, though its ranges reach ${text(reached)}`
  return view.kind === 'run' || view.kind === 'first_load' ? checkLower(view, start) : undefined
}

/** lower = the watermark it was reckoned from − overlap, floored; without one only at a generation's beginning (E13). */
function checkLower(view: RecordView, start: PositionJson | null): string | undefined {
  const { range, overlap, order } = view
  if (!range || !overlap || !order) return undefined
  const from = view.reckoned_from ?? null
  if (from === null) {
    return range.lower === null
      ? undefined
      : `has a lower bound ${text(range.lower)}, and no watermark below it`
  }
  if (range.lower === null) return `has no lower bound, though the watermark stood at ${text(from)}`
  const known = [start, view.watermark_before ?? null, ...segmentsOf(view).map(({ upper }) => upper)]
  if (!known.some((each) => each?.value === from.value))
    return `reckons from ${text(from)}, where no watermark ever stood`
  const expected = lowerBound(orderFromJson(order), positionFromJson(from), BigInt(overlap.amount))
  return String(expected.value) === range.lower.value
    ? undefined
    : `begins at ${range.lower.value}; ${text(from)} minus the overlap ${overlap.amount} is ${expected.value}`
}

function segmentsOf(view: RecordView): readonly RangeJson[] {
  const isRun = view.kind === 'run' || view.kind === 'first_load'
  const slices = isRun ? (view.slices ?? []).map(({ range }) => range) : []
  return [...(view.adopted ?? []), ...slices, ...(view.holes ?? [])]
}

/** How far ranges that join reach from here. */
function cover(start: PositionJson | null, segments: readonly RangeJson[]): PositionJson | null {
  let reached = start
  for (;;) {
    const next = segments.find(
      ({ lower, upper }) => (lower === null || !isLess(reached, lower)) && isLess(reached, upper),
    )
    if (!next) return reached
    reached = next.upper
  }
}

/** -∞ is less than every position. */
function isLess(a: PositionJson | null, b: PositionJson | null): boolean {
  if (a === null || b === null) return a === null && b !== null
  return comparePositions(positionFromJson(a), positionFromJson(b)) < 0
}

const text = (position: PositionJson | null): string => position?.value ?? '-∞'
