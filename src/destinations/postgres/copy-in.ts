import { from as copyFrom } from 'pg-copy-streams'
import type { RowStream } from '../../sources/source.ts'
import { fromSource } from './errors.ts'
import type { Session } from './sessions.ts'
import type { WireTally } from './wire-tally.ts'

const BLOCK_BYTES = 128 * 1024

/** A row stream that has been looked into: is there anything to land? */
export interface OpenedRows {
  readonly isEmpty: boolean
  readonly rows: RowStream
  /** All chunks, the one that was looked at included. */
  readonly chunks: AsyncIterator<Buffer>
}

/** Waits for the first bytes, so that an empty stream costs no stage. */
export async function openRows(rows: RowStream): Promise<OpenedRows> {
  rows.done.catch(() => {})
  const bytes: AsyncIterator<Buffer> = rows.bytes[Symbol.asyncIterator]()
  const rest = () => bytes.next().catch(throwFromSource)
  const first = await rest()
  let isFirst = true
  const next = () => {
    if (!isFirst) return rest()
    isFirst = false
    return Promise.resolve(first)
  }
  return { isEmpty: first.done === true, rows, chunks: { next } }
}

/** How many rows the source says it sent; once the bytes have ended. */
export async function sourceRowCount(rows: RowStream): Promise<number> {
  return (await rows.done.catch(throwFromSource)).rowCount
}

const throwFromSource = (error: unknown): never => {
  throw fromSource(error)
}

/**
 * Sends the bytes as they are through COPY, and returns how many rows the server took. Whichever side fails ends the
 * other: a failing source rolls the COPY back, a failing COPY cancels the source's query.
 */
export async function copyIn(
  session: Session,
  sql: string,
  { rows, chunks }: OpenedRows,
  tally: WireTally,
): Promise<number> {
  const copy = session.query(copyFrom(sql))
  let refusal: unknown
  copy.on('error', (error) => {
    refusal ??= error
    rows.cancel().catch(() => {})
  })
  try {
    for (;;) {
      const block = await nextBlock(chunks)
      if (refusal !== undefined) throw refusal
      if (block === undefined) break
      tally.add(block)
      if (!copy.write(block)) await settled(copy, 'drain')
    }
    copy.end()
    await settled(copy, 'finish')
    return copy.rowCount
  } catch (error) {
    const reason = refusal ?? error
    if (refusal === undefined) {
      copy.destroy(error as Error)
      await settled(copy, 'close').catch(() => {})
    }
    throw reason
  }
}

/** Chunks joined to at least BLOCK_BYTES: each one sent costs two system calls, whatever its size. */
async function nextBlock(chunks: AsyncIterator<Buffer>): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let byteSize = 0
  while (byteSize < BLOCK_BYTES) {
    const { done, value } = await chunks.next()
    if (done) break
    parts.push(value)
    byteSize += value.length
  }
  return parts.length > 1 ? Buffer.concat(parts, byteSize) : parts[0]
}

/** Resolves at the event, rejects at an error; leaves no listener behind. */
function settled(copy: ReturnType<typeof copyFrom>, event: 'drain' | 'finish' | 'close'): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error) => {
      copy.off(event, onEvent)
      copy.off('error', done)
      if (error) reject(error)
      else resolve()
    }
    const onEvent = () => done()
    copy.once(event, onEvent)
    copy.once('error', done)
  })
}
