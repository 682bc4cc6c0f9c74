import type { Receipt } from '../../destinations/destination.ts'
import { describeError } from '../../extract/alarms.ts'
import { closeRun } from '../../extract/close-run.ts'
import type { Engine } from '../../extract/engine.ts'
import { land } from '../../extract/land.ts'
import { failedResult } from '../../extract/make-result.ts'
import { openSession } from '../../extract/open-session.ts'
import { createReaderPool } from '../../extract/reader-pool.ts'
import { type RunCounts, sumReceipts } from '../../extract/receipts.ts'
import type { StreamSettings } from '../../extract/settings.ts'
import type { StreamSession } from '../../extract/stream-session.ts'
import { takeFence } from '../../extract/take-fence.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import { decodeKeyText } from '../../kernel/fingerprint/key-text.ts'
import { type CheckSession, openLooks } from '../check-session.ts'
import { previewRepair } from './preview.ts'
import { removeRows } from './remove-rows.ts'

export interface RepairRequest {
  readonly engine: Engine
  readonly settings: StreamSettings
  /** The check whose plan the key texts belong to. */
  readonly check: CheckSession
  /** Rows to land again. */
  readonly land: readonly string[]
  /** Rows to take away; the caller has seen them absent at the source twice (spec A27). */
  readonly remove: readonly string[]
  readonly removal: 'remove' | 'mark'
  /** Keys that stand more than once: taken away before they are landed again (spec A10). */
  readonly duplicates: readonly string[]
  /** What asked for it: findings or keys, for the record. */
  readonly reason: string
}

export interface Repaired {
  readonly runId: string
  readonly counts: RunCounts
  readonly removed: number
  readonly removedKeys: ReadonlySet<string>
}

const PAGE_KEYS = 1_000

/**
 * Lands these rows as they stand now, through the ordinary landing, and nothing else: the claim does not move, no other row
 * is touched, the later read wins even where the position went back (spec A28, A31, A32). Throws STREAM_BUSY while a run
 * holds the stream, and whatever a run throws.
 */
export async function repairStream(request: RepairRequest): Promise<Repaired> {
  const { engine, settings, check } = request
  const keys = decodeKeys(request)
  const session = await openSession(engine, settings, 'repair')
  try {
    session.recorder.note({ reason: request.reason, keys_asked: String(keys.length + request.remove.length) })
    const receipts: Receipt[] = []
    let removed = 0
    let removedKeys: ReadonlySet<string> = new Set()
    try {
      await removeRows(session, check, request.duplicates, 'remove')
      receipts.push(...(await landKeys(session, keys)))
      const gone = await stillGone(check, request.remove)
      removed = await removeRows(session, check, gone, request.removal)
      removedKeys = new Set(gone)
    } catch (error) {
      session.recorder.note({ error: describeError(error) })
      await finish(session, receipts, removed, 'failed')
      throw error
    }
    await finish(session, receipts, removed, 'repaired')
    return { runId: session.runId, counts: sumReceipts(receipts), removed, removedKeys }
  } finally {
    await session.lease.release()
  }
}

/** No run lands under the session's lease: what the source has again since the caller looked may have landed before it. */
async function stillGone(check: CheckSession, keyTexts: readonly string[]): Promise<readonly string[]> {
  if (keyTexts.length === 0) return []
  const looks = await openLooks(check)
  try {
    const rows = await previewRepair(
      looks,
      keyTexts.map((keyText) => ({ keyText })),
    )
    return rows.filter(({ action }) => action === 'remove').map(({ keyText }) => keyText)
  } finally {
    await looks.close()
  }
}

async function landKeys(
  session: StreamSession,
  keys: readonly (readonly (string | null)[])[],
): Promise<readonly Receipt[]> {
  if (keys.length === 0) return []
  const fenced = await takeFence(session)
  const readers = createReaderPool(session, fenced.fence.logPosition, fenced.fence.t0)
  const receipts: Receipt[] = []
  try {
    for (let from = 0; from < keys.length; from += PAGE_KEYS) {
      const { reader, readSeq } = await readers.current()
      receipts.push(
        await land(session, {
          rows: reader.read({ kind: 'keys', keys: keys.slice(from, from + PAGE_KEYS) }),
          purpose: 'repair',
          range: undefined,
          sliceNumber: from / PAGE_KEYS,
          readSeq,
          proof: fenced.fence.proof,
          proofBelow: undefined,
          decreedFrom: undefined,
          reason: '',
          known: 'anything',
        }),
      )
      await session.engine.reach('repair.page_landed')
    }
  } finally {
    await readers.close()
  }
  return receipts
}

async function finish(
  session: StreamSession,
  receipts: readonly Receipt[],
  removed: number,
  outcome: string,
): Promise<void> {
  const { watermark } = session.claim
  session.recorder.note({ repaired: sumReceipts(receipts), rows_removed: String(removed) })
  const record = session.recorder.finish(outcome, watermark, watermark)
  const result = { ...failedResult(session.settings.stream, undefined as never, 0), error: undefined }
  const closed = await closeRun(session, result, record)
  if (closed.error) throw closed.error
}

function decodeKeys({ check, land: keyTexts }: RepairRequest): readonly (readonly (string | null)[])[] {
  const types = check.plan.columns.slice(0, check.plan.keyCount).map(({ canonical }) => canonical)
  return keyTexts.map((keyText) => {
    const key = decodeKeyText(types, keyText)
    if (key) return key
    throw new PlimsollError(
      'USAGE',
      `${check.settings.stream}: a key is longer than 4,096 bytes and cannot be named`,
      {
        hint: `Read its range again: plimsoll backfill ${check.settings.stream} --from … --to …`,
      },
    )
  })
}
