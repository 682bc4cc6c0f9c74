import { coverageToJson } from '../kernel/coverage.ts'
import { LANES, type Lane } from '../kernel/lane.ts'
import { comparePositions, type Position, positionFromJson } from '../kernel/position.ts'
import { raise } from './alarms.ts'
import { land } from './land.ts'
import { type Debt, saveMemory } from './progress-state.ts'
import { debtsOf, sliceBorder } from './read-slices.ts'
import type { NumberedReader, ReaderPool } from './reader-pool.ts'
import type { StreamSession } from './stream-session.ts'
import type { FencedRange } from './take-fence.ts'

const ASIDE = {
  range: undefined,
  sliceNumber: 0,
  decreedFrom: undefined,
  proofBelow: undefined,
  reason: '',
  known: 'anything',
} as const

/** Delivers rows without a place in the order; nothing moves by them (spec E43, E44). Returns rows by lane. */
export async function deliverLanes(
  session: StreamSession,
  numbered: NumberedReader,
): Promise<Record<string, number>> {
  const { engine, settings } = session
  const limit = settings.limits.laneMaxRows
  const counts = await numbered.reader.countLanes(limit)
  const delivered: Record<string, number> = {}
  for (const [name, count] of Object.entries(counts) as [Lane, number][]) {
    if (count === 0) continue
    const long = count > limit
    if (long && session.choice.key.length === 0) {
      await raise(
        session,
        'lane_growing',
        `more than ${limit} rows have no place in the order (${name}); without a key they cannot be read in turns and are not delivered`,
      )
      continue
    }
    const afterKey = long ? session.memory.laneCursors[name] : undefined
    const rows = numbered.reader.read({ kind: 'lane', lane: name, limit, afterKey })
    const receipt = await land(session, {
      ...ASIDE,
      sliceNumber: LANES.indexOf(name),
      rows,
      purpose: 'lane',
      readSeq: numbered.readSeq,
      proof: 'assumed',
    })
    session.recorder.lane(name, receipt)
    delivered[name] = receipt.rowsRead
    if (long) {
      await raise(
        session,
        'lane_growing',
        `more than ${limit} rows have no place in the order (${name}); they are read in turns`,
      )
      const { lastKey } = await rows.done
      await keepCursor(session, name, receipt.rowsRead < limit ? undefined : lastKey)
    }
    await engine.reach('lane.landed')
    engine.emit({ kind: 'lane_landed', stream: settings.stream, lane: name, rowCount: receipt.rowsRead })
  }
  return delivered
}

async function keepCursor(
  session: StreamSession,
  lane: Lane,
  cursor: readonly string[] | undefined,
): Promise<void> {
  const laneCursors = { ...session.memory.laneCursors, [lane]: cursor ?? [] }
  if (!cursor) delete laneCursors[lane]
  session.memory = { ...session.memory, laneCursors }
  await saveMemory(session.engine, session.lease, session.memory)
}

/** Lands `[F, newest]` without a claim, so that data is fresh under a held fence (spec E16). Returns the rows read. */
export async function peek(
  session: StreamSession,
  numbered: NumberedReader,
  from: Position,
): Promise<number> {
  const wanted = session.settings.peek ?? session.choice.order.kind === 'date'
  if (!wanted || session.settings.mode !== 'upsert' || session.choice.key.length === 0) return 0
  const rows = numbered.reader.read({ kind: 'peek', from })
  const receipt = await land(session, {
    ...ASIDE,
    rows,
    purpose: 'peek',
    readSeq: numbered.readSeq,
    proof: 'assumed',
  })
  session.recorder.peek(receipt)
  await session.engine.reach('peek.landed')
  return receipt.rowsRead
}

/**
 * Pays the bills of decrees whose blocker is gone, before the range is read: `[its bound, W)` is read again in slices and
 * regains its fence's level (spec E39). What is late there is what the decree had cost.
 */
export async function payBills(
  session: StreamSession,
  readers: ReaderPool,
  fenced: FencedRange,
): Promise<void> {
  for (const key of fenced.fence.settledDecrees) {
    const debt = session.memory.debts.find((each) => each.key === key)
    if (!debt) continue
    await payBill(session, readers, fenced, debt)
    session.memory = {
      ...session.memory,
      debts: session.memory.debts.filter((each) => each.key !== key),
      coverage: coverageToJson(session.coverage),
    }
    await saveMemory(session.engine, session.lease, session.memory)
    await session.engine.reach('bill.landed')
  }
  if (session.memory.debts.length === 0 && fenced.fence.settledDecrees.length > 0) {
    await session.engine.catalog.resolveAlarm(session.settings.catalogKey, 'fence_decreed')
  }
}

async function payBill(
  session: StreamSession,
  readers: ReaderPool,
  { fence, decreedFrom }: FencedRange,
  { key, bound }: Debt,
): Promise<void> {
  const upper = session.claim.watermark
  let from = positionFromJson(bound)
  for (let number = 0; upper && comparePositions(from, upper) < 0; number++) {
    const { reader, readSeq } = await readers.current()
    const to = await sliceBorder(session, reader, from, upper, number)
    const range = { lower: from, upper: to }
    const rows = reader.read({ kind: 'range', range })
    await session.engine.reach('bill.read')
    const receipt = await land(session, {
      ...ASIDE,
      rows,
      range,
      sliceNumber: number,
      purpose: 'bill',
      readSeq,
      proof: fence.proof,
      decreedFrom,
      proofBelow: fence.proofBelowDecrees,
      reason: debtsOf(session),
    })
    session.recorder.bill(key, range, receipt)
    from = to
  }
}
