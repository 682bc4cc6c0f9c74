import { LANES, type Lane } from '../kernel/lane.ts'
import type { Position } from '../kernel/position.ts'
import { raise } from './alarms.ts'
import { land } from './land.ts'
import { saveMemory } from './progress-state.ts'
import type { NumberedReader } from './reader-pool.ts'
import type { StreamSession } from './stream-session.ts'

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
        JSON.stringify({ lane: name, limit }),
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
        JSON.stringify({ lane: name, limit }),
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
