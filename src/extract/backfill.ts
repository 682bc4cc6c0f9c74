import { PlimsollError } from '../kernel/errors.ts'
import { comparePositions, type Position } from '../kernel/position.ts'
import { formatPosition, parsePosition } from '../kernel/print.ts'
import { isEmptyRange, type Range } from '../kernel/range.ts'
import { describeError } from './alarms.ts'
import { closeRun } from './close-run.ts'
import type { Engine } from './engine.ts'
import { tellHoles } from './holes.ts'
import { land } from './land.ts'
import { failedResult, streamResult } from './make-result.ts'
import { openSession } from './open-session.ts'
import { createReaderPool } from './reader-pool.ts'
import type { StreamResult } from './results.ts'
import { withRetries } from './retry.ts'
import type { StreamSettings } from './settings.ts'
import type { StreamSession } from './stream-session.ts'
import { type FencedRange, takeFence } from './take-fence.ts'

/** What a person asked to read again, as typed; undefined is `-∞` and the watermark. */
export interface BackfillRange {
  readonly from: string | undefined
  readonly to: string | undefined
}

/**
 * Reads `[lower, upper)` again through the ordinary landing, the upper bound clipped to the watermark, which does not
 * move (spec E69). Nothing of it feeds lateness.
 */
export async function backfillStream(
  engine: Engine,
  settings: StreamSettings,
  asked: BackfillRange,
): Promise<StreamResult> {
  const startedMs = engine.clock.nowMs()
  let session: StreamSession
  try {
    session = await openSession(engine, settings, 'backfill')
  } catch (error) {
    if (!(error instanceof PlimsollError)) throw error
    return failedResult(settings.stream, error, engine.clock.nowMs() - startedMs)
  }
  try {
    let failure: PlimsollError | undefined
    let fenced: FencedRange | undefined
    let range: Range | undefined
    try {
      range = clip(session, { lower: typed(session, asked.from), upper: typed(session, asked.to) })
      fenced = await takeFence(session)
      session.recorder.range(range, fenced.overlap)
      let from = range.lower
      while (from === undefined || comparePositions(from, range.upper) < 0) {
        from = await withRetries(session, () => landNext(session, fenced!, range!, from))
        if (engine.signal?.aborted) break
      }
    } catch (error) {
      session.recorder.note({ error: describeError(error) })
      if (!(error instanceof PlimsollError)) throw error
      failure = error
    }
    if (!failure) await tellHoles(session)
    const attempted = fenced && {
      fenced: { ...fenced, heldBecause: undefined },
      finished: !failure,
      laneRows: {},
      peekRows: 0,
      newest: undefined,
      newestKnown: false,
      obstacleAhead: undefined,
    }
    const result = streamResult(session, attempted, failure, engine.clock.nowMs() - startedMs)
    const outcome = failure ? result.outcome : result.counts.rows_read > 0 ? 'advanced' : 'empty'
    const { watermark } = session.claim
    const record = session.recorder.finish(outcome, watermark, watermark)
    const said = range ? [...result.said, saidRange(range, watermark)] : result.said
    return await closeRun(session, { ...result, outcome, said }, record)
  } finally {
    await session.lease.release()
  }
}

function saidRange({ lower, upper }: Range, watermark: Position | undefined): string {
  const end =
    watermark && comparePositions(upper, watermark) === 0 ? '; a backfill ends at the watermark' : ''
  return `range [${formatPosition(lower)}, ${formatPosition(upper)})${end}`
}

/** Lands the next slice in a snapshot of its own and returns where it ended. */
async function landNext(
  session: StreamSession,
  fenced: FencedRange,
  range: Range,
  from: Position | undefined,
): Promise<Position> {
  const { engine, settings } = session
  const readers = createReaderPool(session, fenced.fence.logPosition, fenced.fence.t0)
  try {
    const { reader, readSeq } = await readers.current()
    const fact = session.shape.positions.find((each) => each.column === session.choice.order.column)
    const border = fact?.indexed
      ? await reader.nextBorder(from, range.upper, settings.limits.sliceRows)
      : undefined
    const slice: Range = { lower: from, upper: border ?? range.upper }
    const receipt = await land(session, {
      rows: reader.read({ kind: 'range', range: slice }),
      purpose: 'backfill',
      range: slice,
      sliceNumber: 0,
      readSeq,
      proof: fenced.fence.proof,
      decreedFrom: fenced.decreedFrom,
      proofBelow: fenced.fence.proofBelowDecrees,
      reason: '',
      known: 'anything',
    })
    session.recorder.slice(slice, receipt)
    engine.emit({
      kind: 'slice_landed',
      stream: settings.stream,
      range: slice,
      receipt,
      watermark: session.claim.watermark,
    })
    await engine.reach('backfill.slice_landed')
    return slice.upper
  } finally {
    await readers.close()
  }
}

function typed(session: StreamSession, text: string | undefined): Position | undefined {
  if (text === undefined) return undefined
  const position = parsePosition(session.choice.order, text)
  if (position) return position
  throw new PlimsollError('USAGE', `${text} is no position of ${session.settings.stream}`, {
    hint: `Write it as the watermark is printed: ${formatPosition(session.claim.watermark)}.`,
  })
}

function clip(
  session: StreamSession,
  asked: { lower: Position | undefined; upper: Position | undefined },
): Range {
  const { watermark } = session.claim
  if (!watermark) {
    throw new PlimsollError(
      'USAGE',
      `${session.settings.stream}: nothing has been claimed yet, so there is nothing to read again`,
      {
        hint: 'Run the table first.',
      },
    )
  }
  const upper = asked.upper && comparePositions(asked.upper, watermark) < 0 ? asked.upper : watermark
  const range = { lower: asked.lower, upper }
  if (isEmptyRange(range)) {
    throw new PlimsollError(
      'USAGE',
      `${session.settings.stream}: the range ${formatPosition(asked.lower)} to ${formatPosition(upper)} is empty`,
      {
        hint: `A backfill reads below the watermark, which is ${formatPosition(watermark)}.`,
      },
    )
  }
  return range
}
