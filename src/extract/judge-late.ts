import type { Receipt } from '../destinations/destination.ts'
import { isNearOverlap, latenessDepth } from '../kernel/lateness.ts'
import { comparePositions, positionFromJson } from '../kernel/position.ts'
import { raise } from './alarms.ts'
import { holesOfClaim } from './holes.ts'
import { saveMemory } from './progress-state.ts'
import type { StreamSession } from './stream-session.ts'
import type { FencedRange } from './take-fence.ts'

/**
 * What late rows say: one that lay deep in the overlap is an alarm (spec E42), and any below a proven watermark
 * disproves the declaration of who stamps the rows (E21). Nothing in a generation's first run (E41).
 */
export async function judgeLateRows(
  session: StreamSession,
  fenced: FencedRange,
  receipt: Receipt,
): Promise<void> {
  const before = session.claimAtStart
  if (receipt.classes.late === 0 || !before.watermark || !session.judgesLateness) return
  const { lower } = fenced.range ?? {}
  // Rows of a hole were never read before: they are late for a person's reason, not for their own.
  if (holesOfClaim(before).some(({ upper }) => !lower || comparePositions(upper, lower) > 0)) return
  for (const row of receipt.lateRows) {
    const depth = latenessDepth(session.choice.order, before.watermark, positionFromJson(row.position))
    if (depth === undefined || !isNearOverlap(depth, fenced.overlap.amount)) continue
    const text = `key ${row.key.join(', ')} at ${row.position.value} came ${depth} below the watermark; the overlap is ${fenced.overlap.amount}`
    await raise(session, 'lateness_near_overlap', text, JSON.stringify(row))
    break
  }
  if (before.proof !== 'proven' || session.memory.contradicted) return
  session.memory = { ...session.memory, contradicted: true }
  await saveMemory(session.engine, session.lease, session.memory)
  const doubted = { ...session.claim, proof: 'assumed' as const }
  await session.engine.destination.writeClaim(doubted, session.claim)
  session.claim = doubted
  const key = receipt.lateRows[0]?.key.join(', ') ?? '?'
  await raise(
    session,
    'proof_contradicted',
    `${receipt.classes.late} rows (first: key ${key}) appeared below a proven watermark: something else than the database stamps ${session.choice.order.column}, or rows were removed at the destination`,
    JSON.stringify(receipt.lateRows.slice(0, 20)),
  )
}
