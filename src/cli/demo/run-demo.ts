import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../../assure/rehearse/random.ts'
import { attachDuckdbCopy, attachSqliteCopy } from './attach-copies.ts'
import { compareCopy, sumDifferences } from './compare.ts'
import { openPlimsollCopy, type PlimsollCopy } from './plimsoll-copy.ts'
import { type CopyResult, type DemoResult, judge } from './result.ts'
import { createShop, measureShop } from './shop.ts'
import { openUsualCopies, type UsualCopies, type UsualCopy } from './usual-copies.ts'
import type { WriterTask } from './writer.ts'
import { startWriters } from './writers.ts'

export interface DemoOptions {
  /** An empty folder for all files. */
  readonly folder: string
  readonly seed: number
  /** How long the shop is written. */
  readonly seconds: number
  readonly tell: (text: string) => void
}

const CHECKOUT_COUNT = 3
/** Longer than the fixed lag by more than a moment between extractions, and short enough for a short day. */
const HOLD_MS = 4_000
const MOMENT_MS = 700
/** The end has come when every copy has looked at every stamp; it takes the lag and a second. */
const MOMENTS_AFTER_MAX = 60

/** The whole day: shop, writers, extractions at the same moments, a last look for everyone, and the comparison. */
export async function runDemo(options: DemoOptions): Promise<DemoResult> {
  const startedMs = performance.now()
  const shopFile = join(options.folder, 'shop.sqlite')
  createShop(shopFile)
  const usual = openUsualCopies(shopFile, options.folder)
  const plimsoll = await openPlimsollCopy(options.folder)
  const writers = startWriters(writerTasks(shopFile, options))
  try {
    const day = await extractAllDay(usual, plimsoll, writers.ended, options.tell)
    const counts = await writers.ended
    const shop = measureShop(shopFile)
    const after = await extractUntil(usual, plimsoll, shop.newestStamp)
    await plimsoll.close()
    const copies = usual.copies.map((copy) => compareUsual(shopFile, copy))
    const ours = await comparePlimsoll(shopFile, plimsoll)
    return {
      verdict: judge(ours, copies),
      seed: options.seed,
      seconds: options.seconds,
      writer_processes: CHECKOUT_COUNT + 1,
      transactions: counts.transactions,
      rolled_back: counts.rolledBack,
      committed_late: counts.committedLate,
      hold_seconds: HOLD_MS / 1000,
      extractions: day + after,
      held: plimsoll.heldCount,
      source_rows: shop.rowCount,
      newest_stamp: shop.newestStamp,
      copies,
      plimsoll: ours,
      claim: plimsoll.claim,
      duration_seconds: Math.round((performance.now() - startedMs) / 100) / 10,
    }
  } finally {
    writers.kill()
    usual.close()
  }
}

function writerTasks(file: string, { seed, seconds }: DemoOptions): WriterTask[] {
  const random = createRandom(seed)
  const untilMs = Date.now() + seconds * 1000
  return Array.from({ length: CHECKOUT_COUNT + 1 }, (_, index) => ({
    file,
    number: index + 1,
    seed: random.between(0, 2 ** 31),
    role: index < CHECKOUT_COUNT ? 'checkout' : 'marketplace',
    holdMs: HOLD_MS,
    untilMs,
  }))
}

/** One moment: the usual strategies read in one snapshot, and Plimsoll at once after them. */
async function extractOnce(usual: UsualCopies, plimsoll: PlimsollCopy): Promise<void> {
  usual.extract()
  await plimsoll.extract()
}

async function extractAllDay(
  usual: UsualCopies,
  plimsoll: PlimsollCopy,
  ended: Promise<unknown>,
  tell: (text: string) => void,
): Promise<number> {
  let open = true
  const close = () => {
    open = false
  }
  ended.then(close, close)
  for (let count = 0; ; count++) {
    if (!open) return count
    const nextMs = performance.now() + MOMENT_MS
    await extractOnce(usual, plimsoll)
    tell(`${count + 1} extractions, Plimsoll's watermark at ${plimsoll.claim?.watermark ?? 'none'}`)
    await sleep(Math.max(0, nextMs - performance.now()))
  }
}

/** The last runs, the same number for everyone, until Plimsoll and the fixed lag have passed the newest stamp. */
async function extractUntil(
  usual: UsualCopies,
  plimsoll: PlimsollCopy,
  newestStamp: string,
): Promise<number> {
  for (let count = 1; count <= MOMENTS_AFTER_MAX; count++) {
    await extractOnce(usual, plimsoll)
    const passed = (plimsoll.claim?.watermark ?? '') > newestStamp
    const lagging = usual.copies.find((copy) => copy.strategy.id === 'lag')?.mark ?? ''
    if (passed && lagging > newestStamp) return count
    await sleep(MOMENT_MS)
  }
  throw new Error(`Plimsoll's watermark did not pass the newest stamp ${newestStamp}`)
}

function compareUsual(shopFile: string, { strategy, file, rowsRead }: UsualCopy): CopyResult {
  const db = attachSqliteCopy(shopFile, file)
  try {
    const tables = compareCopy(db, strategy.landing === 'upsert' ? 'latest' : 'versions')
    const { id, title, usage, why } = strategy
    return { id, title, usage, why, ...sumDifferences(Object.values(tables)), rows_read: rowsRead, tables }
  } finally {
    db.close()
  }
}

async function comparePlimsoll(shopFile: string, { file, rowsRead }: PlimsollCopy): Promise<CopyResult> {
  const db = await attachDuckdbCopy(shopFile, file)
  try {
    const tables = compareCopy(db, 'latest')
    return {
      id: 'plimsoll',
      title: 'plimsoll',
      usage: 'upsert, overlap 0',
      why: 'reads below a fence that no transaction, open or to come, can still undercut',
      ...sumDifferences(Object.values(tables)),
      rows_read: rowsRead,
      tables,
    }
  } finally {
    db.close()
  }
}
