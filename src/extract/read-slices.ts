import { comparePositions, type Position } from '../kernel/position.ts'
import { isEmptyRange, type Range } from '../kernel/range.ts'
import type { Reader, RowStream } from '../sources/source.ts'
import { judgeLateRows } from './judge-late.ts'
import { land } from './land.ts'
import type { ReaderPool } from './reader-pool.ts'
import type { StreamSession } from './stream-session.ts'
import type { FencedRange } from './take-fence.ts'

/**
 * Reads the range slice by slice, each landing with its own claim, in order (spec E46, E47). Returns false when it was
 * asked to stop before the end.
 */
export async function readSlices(
  session: StreamSession,
  readers: ReaderPool,
  fenced: FencedRange,
  range: Range,
): Promise<boolean> {
  const { engine, settings } = session
  if (isEmptyRange(range)) return true
  const untouched = session.claim.watermark === undefined && session.claim.readSeq === 0
  const firstReader = await readers.current()
  let from = range.lower
  let ahead: BorderAhead | undefined
  for (let number = 0; ; number++) {
    if (engine.signal?.aborted) return false
    const reader = number === 0 ? firstReader : await readers.current()
    const upper =
      ahead?.reader === reader.reader
        ? await ahead.upper
        : await sliceBorder(session, reader.reader, from, range.upper, number)
    const slice: Range = { lower: from, upper }
    const rows = reader.reader.read({ kind: 'range', range: slice })
    ahead = isLast(upper, range)
      ? undefined
      : askAhead(session, reader.reader, rows, upper, range, number + 1)
    const oneSnapshot = reader === firstReader
    const receipt = await land(session, {
      rows,
      purpose: 'run',
      range: slice,
      sliceNumber: number,
      readSeq: reader.readSeq,
      proof: fenced.fence.proof,
      decreedFrom: fenced.decreedFrom,
      proofBelow: fenced.fence.proofBelowDecrees,
      reason: debtsOf(session),
      known: untouched && oneSnapshot && session.choice.keyEnforced ? 'nothing_there' : 'anything',
    })
    session.recorder.slice(slice, receipt)
    await engine.reach('slice.receipt_stored')
    engine.emit({
      kind: 'slice_landed',
      stream: settings.stream,
      range: slice,
      receipt,
      watermark: session.claim.watermark,
    })
    await judgeLateRows(session, fenced, receipt)
    if (isLast(upper, range)) return true
    from = upper
  }
}

/** Whom the decrees in force passed over. */
export const debtsOf = (session: StreamSession): string =>
  session.memory.debts.map((debt) => debt.key).join(' ')

const isLast = (upper: Position, range: Range): boolean => comparePositions(upper, range.upper) >= 0

interface BorderAhead {
  readonly reader: Reader
  readonly upper: Promise<Position>
}

/** Asks for the next border while the slice before it still lands: its rows have left the source by then. */
function askAhead(
  session: StreamSession,
  reader: Reader,
  rows: RowStream,
  from: Position,
  range: Range,
  number: number,
): BorderAhead {
  const upper = rows.done.then(() => sliceBorder(session, reader, from, range.upper, number))
  upper.catch(() => undefined)
  return { reader, upper }
}

/** Where the slice ends: the n-th position above its start, or the range's end; one slice when borders cost a scan. */
export async function sliceBorder(
  session: StreamSession,
  reader: Reader,
  from: Position | undefined,
  upper: Position,
  number: number,
): Promise<Position> {
  const { limits } = session.settings
  const small = isSmall(session)
  if (!isIndexed(session) && !small) return upper
  const shrink = 2 ** Math.min(session.halvings, 20)
  const rowCount = Math.max(1, Math.floor(limits.sliceRows / shrink))
  if (number === 0 && small && rowCount >= limits.fullScanMaxRows) return upper
  return (await reader.nextBorder(from, upper, rowCount)) ?? upper
}

/** True when reading the whole table once more costs nothing worth avoiding (spec E51). */
export function isSmall(session: Pick<StreamSession, 'shape' | 'settings'>): boolean {
  const rows = session.shape.rowCountEstimate ?? Number.POSITIVE_INFINITY
  return rows <= session.settings.limits.fullScanMaxRows
}

/** True when an index begins with the position column. */
export function isIndexed(session: Pick<StreamSession, 'shape' | 'choice'>): boolean {
  const { column } = session.choice.order
  return session.shape.positions.some((fact) => fact.column === column && fact.indexed)
}
