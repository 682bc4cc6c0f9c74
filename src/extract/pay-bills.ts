import type { Receipt } from '../destinations/destination.ts'
import { coverageToJson } from '../kernel/coverage.ts'
import { comparePositions, positionFromJson } from '../kernel/position.ts'
import type { Range } from '../kernel/range.ts'
import { raise } from './alarms.ts'
import type { Debt } from './facts.ts'
import { land } from './land.ts'
import { saveMemory } from './progress-state.ts'
import type { NumberedReader } from './reader-pool.ts'
import { boundsOf, receiptToJson } from './record.ts'
import type { StreamSession } from './stream-session.ts'
import type { FencedRange } from './take-fence.ts'

/**
 * Pays the bills of decrees whose blocker is gone: `[its bound, W)` is read again and regains its fence's level; each is
 * recorded, also when it brought nothing (spec E39, A57). Returns the rows that the decrees had cost.
 */
export async function payBills(
  session: StreamSession,
  numbered: NumberedReader,
  fenced: FencedRange,
): Promise<number> {
  const { catalog } = session.engine
  const { catalogKey } = session.settings
  let billed = 0
  for (const key of fenced.fence.settledDecrees) {
    const debt = session.memory.debts.find((each) => each.key === key)
    if (!debt) continue
    const paid = await readAgain(session, numbered, fenced, debt)
    const bill = paid?.receipt.classes.late ?? 0
    await recordBill(session, debt, bill, paid)
    billed += bill
    session.memory = {
      ...session.memory,
      debts: session.memory.debts.filter((each) => each.key !== key),
      coverage: coverageToJson(session.coverage),
    }
    await saveMemory(session.engine, session.lease, session.memory)
    await session.engine.reach('bill.landed')
  }
  if (session.memory.debts.length === 0) await catalog.resolveAlarm(catalogKey, 'fence_decreed')
  return billed
}

interface Paid {
  readonly range: Range
  readonly receipt: Receipt
}

/** Undefined when the watermark never passed the blocker's bound: then nothing can be missing. */
async function readAgain(
  session: StreamSession,
  numbered: NumberedReader,
  fenced: FencedRange,
  debt: Debt,
): Promise<Paid | undefined> {
  const upper = session.claim.watermark
  const lower = positionFromJson(debt.bound)
  if (!upper || comparePositions(lower, upper) >= 0) return undefined
  const range = { lower, upper }
  const rows = numbered.reader.read({ kind: 'range', range })
  await session.engine.reach('bill.read')
  const receipt = await land(session, {
    rows,
    range,
    purpose: 'bill',
    sliceNumber: 0,
    decreedFrom: undefined,
    reason: '',
    known: 'anything',
    readSeq: numbered.readSeq,
    proof: fenced.fence.proof,
  })
  return { range, receipt }
}

async function recordBill(
  session: StreamSession,
  debt: Debt,
  bill: number,
  paid: Paid | undefined,
): Promise<void> {
  const bounds = paid ? boundsOf(paid.range) : { lower: debt.bound.value, upper: null }
  const fact = { key: debt.key, position_kind: debt.bound.kind, ...bounds, bill }
  session.recorder.bill(fact)
  await session.engine.catalog.appendRecord(session.settings.catalogKey, {
    ...fact,
    kind: 'bill',
    run: session.runId,
    generation: session.claim.generation,
    proof: session.claim.proof,
    receipt: paid ? receiptToJson(paid.receipt) : null,
    opened_us: String(session.engine.catalog.nowUs()),
  })
  if (bill === 0) return
  const text = `passing over ${debt.key} had left ${bill} rows behind; they have been read now, and what was computed meanwhile lacked them`
  await raise(session, 'decree_billed', text, debt.key)
}
