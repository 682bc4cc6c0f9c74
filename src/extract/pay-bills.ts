import type { Receipt } from '../destinations/destination.ts'
import { coverageToJson } from '../kernel/coverage.ts'
import { comparePositions, positionFromJson } from '../kernel/position.ts'
import { raise } from './alarms.ts'
import type { Debt } from './facts.ts'
import { land } from './land.ts'
import { saveMemory } from './progress-state.ts'
import { debtsOf, sliceBorder } from './read-slices.ts'
import type { ReaderPool } from './reader-pool.ts'
import { receiptToJson } from './record.ts'
import type { StreamSession } from './stream-session.ts'
import type { FencedRange } from './take-fence.ts'

/**
 * Pays the bills of decrees whose blocker is gone, before the range is read: `[its bound, W)` is read again in slices and
 * regains its fence's level; each is recorded, also when it brought nothing (spec E39, A57). What is late there is what
 * the decree had cost.
 */
export async function payBills(
  session: StreamSession,
  readers: ReaderPool,
  fenced: FencedRange,
): Promise<void> {
  const { catalog } = session.engine
  const { catalogKey } = session.settings
  for (const key of fenced.fence.settledDecrees) {
    const debt = session.memory.debts.find((each) => each.key === key)
    if (!debt) continue
    const receipts = await readAgain(session, readers, fenced, debt)
    await recordBill(session, debt, receipts)
    session.memory = {
      ...session.memory,
      debts: session.memory.debts.filter((each) => each.key !== key),
      coverage: coverageToJson(session.coverage),
    }
    await saveMemory(session.engine, session.lease, session.memory)
    await session.engine.reach('bill.landed')
  }
  if (session.memory.debts.length === 0) await catalog.resolveAlarm(catalogKey, 'fence_decreed')
}

/** Nothing when the watermark never passed the blocker's bound: then nothing can be missing. */
async function readAgain(
  session: StreamSession,
  readers: ReaderPool,
  { fence, decreedFrom }: FencedRange,
  { bound }: Debt,
): Promise<readonly Receipt[]> {
  const upper = session.claim.watermark
  const receipts: Receipt[] = []
  let from = positionFromJson(bound)
  for (let number = 0; upper && comparePositions(from, upper) < 0; number++) {
    const { reader, readSeq } = await readers.current()
    const to = await sliceBorder(session, reader, from, upper, number)
    const range = { lower: from, upper: to }
    const rows = reader.read({ kind: 'range', range })
    await session.engine.reach('bill.read')
    const receipt = await land(session, {
      rows,
      range,
      sliceNumber: number,
      purpose: 'bill',
      readSeq,
      proof: fence.proof,
      decreedFrom,
      proofBelow: fence.proofBelowDecrees,
      reason: debtsOf(session),
      known: 'anything',
    })
    receipts.push(receipt)
    from = to
  }
  return receipts
}

async function recordBill(session: StreamSession, debt: Debt, receipts: readonly Receipt[]): Promise<void> {
  const bill = receipts.reduce((sum, receipt) => sum + receipt.classes.late, 0)
  const upper = receipts.length > 0 ? session.claim.watermark : undefined
  const bounds = { lower: debt.bound.value, upper: upper ? String(upper.value) : null }
  const fact = { key: debt.key, position_kind: debt.bound.kind, ...bounds, bill }
  session.recorder.bill(fact)
  await session.engine.catalog.appendRecord(session.settings.catalogKey, {
    ...fact,
    kind: 'bill',
    run: session.runId,
    generation: session.claim.generation,
    proof: session.claim.proof,
    receipts: receipts.map(receiptToJson),
    opened_us: String(session.engine.catalog.nowUs()),
  })
  if (bill === 0) return
  const text = `passing over ${debt.key} had left ${bill} rows behind; they have been read now, and what was computed meanwhile lacked them`
  const evidence = JSON.stringify({ key: debt.key, lower: debt.bound.value })
  await raise(session, 'decree_billed', text, evidence)
}
