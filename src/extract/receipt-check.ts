import { PlimsollError } from '../kernel/errors.ts'
import type { WordSum } from '../kernel/fingerprint/comparison.ts'
import { totalOf } from '../kernel/fingerprint/words.ts'
import { formatPosition } from '../kernel/print.ts'
import type { Range } from '../kernel/range.ts'
import type { Look } from '../sources/look.ts'
import { raise } from './alarms.ts'
import { comparisonPlan } from './comparison-plan.ts'
import type { NumberedReader } from './reader-pool.ts'
import type { StreamSession } from './stream-session.ts'

const BUCKET_DIGITS = 4
/** Rows above the fence that are listed to be left out; where there are more, the check waits for a quieter run. */
const OPEN_KEYS_MAX = 50_000

/**
 * After landing, both sides are summed over the range, the source in the very snapshot that was read: what was delivered
 * must be there (assurance A13). Fewer rows, or other positions, raise an alarm; more are deletes nobody can see, a note.
 * A look that fails is noted and fails nothing.
 */
export async function checkReceipt(
  session: StreamSession,
  { reader }: NumberedReader,
  range: Range,
): Promise<void> {
  const { engine, settings, recorder } = session
  const rowCount = recorder.sliceReceipts.reduce((sum, receipt) => sum + receipt.rowsRead, 0)
  const canLook = reader.look !== undefined && engine.destination.capabilities.pushdownFingerprint
  if (!canLook || rowCount === 0 || rowCount > settings.limits.receiptCheckMaxRows) return
  const startedMs = engine.clock.nowMs()
  try {
    const verdict = await compare(session, reader.look!, range)
    recorder.note({ receipt_check: verdict })
    if (verdict.verdict === 'differs') await raiseLoss(session, range, verdict)
  } catch (error) {
    if (!(error instanceof PlimsollError)) throw error
    recorder.note({ receipt_check: { verdict: 'not_looked', reason: error.message } })
  }
  recorder.time('receipt_check', engine.clock.nowMs() - startedMs)
}

interface Verdict {
  readonly verdict: 'equal' | 'more_at_destination' | 'differs' | 'not_looked'
  readonly rows: string
  readonly rows_there: string
  readonly sum: string
  readonly sum_there: string
}

async function compare(
  session: StreamSession,
  lookAt: NonNullable<NumberedReader['reader']['look']>,
  range: Range,
): Promise<Verdict> {
  const { engine, settings, shape, choice, table } = session
  const plan = await comparisonPlan(engine, settings, shape, choice)
  const scope = {
    rows: 'ordered',
    upper: range.upper,
    ...(range.lower ? { lower: range.lower } : {}),
  } as const
  const source = await lookAt(plan)
  const open = await openKeys(source, range)
  const { checkQueryMaxMs, lockTimeoutMs } = settings.limits
  const limits = { queryMaxMs: checkQueryMaxMs, lockTimeoutMs }
  const { look } = await engine.destination.openLook({ table, plan, ...limits })
  try {
    await look.leaveOut(open)
    const here = await source.sums(scope, 'position', BUCKET_DIGITS)
    const there = await look.sums(scope, 'position', BUCKET_DIGITS)
    return judge(here, there)
  } finally {
    await look.close()
  }
}

async function openKeys(look: Look, range: Range): Promise<readonly string[]> {
  const keys: string[] = []
  for await (const batch of look.rows({ rows: 'ordered', lower: range.upper }, 'position')) {
    for (const { keyText } of batch) keys.push(keyText)
    if (keys.length > OPEN_KEYS_MAX)
      throw new PlimsollError('NOT_SUPPORTED', 'too many rows lie above the fence')
  }
  return keys
}

type Sums = ReadonlyMap<string, WordSum>

function judge(here: Sums, there: Sums): Verdict {
  let [isLoss, isSurplus] = [false, false]
  for (const bucket of new Set([...here.keys(), ...there.keys()])) {
    const [a, b] = [here.get(bucket), there.get(bucket)]
    if (a?.rowCount === b?.rowCount && a?.wordSum === b?.wordSum) continue
    if ((b?.rowCount ?? 0n) > (a?.rowCount ?? 0n)) isSurplus = true
    else isLoss = true
  }
  const [mine, theirs] = [totalOf(here), totalOf(there)]
  return {
    verdict: isLoss ? 'differs' : isSurplus ? 'more_at_destination' : 'equal',
    rows: String(mine.rowCount),
    rows_there: String(theirs.rowCount),
    sum: String(mine.wordSum),
    sum_there: String(theirs.wordSum),
  }
}

async function raiseLoss(session: StreamSession, range: Range, { rows, rows_there }: Verdict): Promise<void> {
  const { stream } = session.settings
  const where = `${formatPosition(range.lower)} to ${formatPosition(range.upper)}`
  const text = `of the rows from ${where}, ${rows} were read and ${rows_there} are at the destination as they were read; which ones: plimsoll audit ${stream}`
  await raise(session, 'destination_lost_rows', text, session.runId)
}
