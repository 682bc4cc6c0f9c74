import type { Verdict } from '../../kernel/finding.ts'
import { positionFromCanonical } from '../../kernel/fingerprint/position-text.ts'
import type { PositionOrder } from '../../kernel/order.ts'
import { comparePositions, type Position } from '../../kernel/position.ts'
import type { LookedRow } from '../../sources/look.ts'

/** Where a source row stands to the claim (spec A8). */
export type Zone = 'settled' | 'overlap' | 'open' | 'future' | 'lane'

export interface Bounds {
  readonly order: PositionOrder
  /** S: no run reads below it again. */
  readonly settled: Position
  /** W. */
  readonly watermark: Position
  /** From here up rows are dated in the future; undefined for counters. */
  readonly futureFrom: Position | undefined
}

/** `AT_RISK` and `PENDING` are notes: the next run brings them. */
export type Judgement = Verdict | 'AT_RISK' | 'PENDING' | 'equal'

/** The zone of a row by its canonical position. The bound is `<`: a range never holds its upper end (spec A8). */
export function zoneOf(bounds: Bounds, positionText: string): Zone {
  const position = positionFromCanonical(bounds.order, positionText)
  if (!position) return 'lane'
  if (comparePositions(position, bounds.settled) < 0) return 'settled'
  if (comparePositions(position, bounds.watermark) < 0) return 'overlap'
  if (bounds.futureFrom && comparePositions(position, bounds.futureFrom) >= 0) return 'future'
  return 'open'
}

/** The table of verdicts (spec A10), for one key: what stands at the source against what stands at the destination. */
export function classify(
  bounds: Bounds,
  source: readonly LookedRow[],
  destination: readonly LookedRow[],
): Judgement {
  const row = source[0]
  if (!row) return destination.length > 1 ? 'DUPLICATE' : destination.length === 1 ? 'EXTRA' : 'equal'
  if (source.length > 1)
    return bagOf(source) === bagOf(destination) ? 'equal' : keylessVerdict(source, destination)
  if (destination.length > 1) return 'DUPLICATE'
  const there = destination[0]
  if (there?.word === row.word) return 'equal'
  const zone = zoneOf(bounds, row.position)
  if (zone === 'overlap') return 'AT_RISK'
  if (zone === 'open') return 'PENDING'
  if (zone === 'future') return 'FUTURE'
  if (zone === 'lane') return 'UNORDERABLE'
  return there ? settledVerdict(bounds, row, there) : 'LOST'
}

function settledVerdict({ order }: Bounds, source: LookedRow, destination: LookedRow): Verdict {
  if (source.position === destination.position) return 'UNBUMPED'
  const there = positionFromCanonical(order, destination.position)
  const here = positionFromCanonical(order, source.position)
  return there && here && comparePositions(here, there) < 0 ? 'BACKDATED' : 'STALE'
}

/** A table without a key is a bag of rows: equal ones are counted. */
function keylessVerdict(source: readonly LookedRow[], destination: readonly LookedRow[]): Verdict {
  return destination.length < source.length ? 'LOST' : 'DUPLICATE'
}

const bagOf = (rows: readonly LookedRow[]): string =>
  rows
    .map(({ word }) => word)
    .sort()
    .join()
