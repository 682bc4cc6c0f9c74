import type { LogPosition } from '../kernel/fence.ts'
import type { Reader } from '../sources/source.ts'
import { readerRequest } from './reader-request.ts'
import type { StreamSession } from './stream-session.ts'

/** A snapshot with the readSeq its rows carry (spec E53). */
export interface NumberedReader {
  readonly reader: Reader
  readonly readSeq: number
}

/** One open snapshot at a time, renewed when it grows too old; never opened before the fence (spec E9). */
export interface ReaderPool {
  current(): Promise<NumberedReader>
  close(): Promise<void>
}

export function createReaderPool(
  session: StreamSession,
  after: LogPosition | undefined,
  t0: string,
): ReaderPool {
  const { engine, settings } = session
  let open: NumberedReader | undefined
  let openedMs = 0
  let nextSeq = session.claim.readSeq + 1
  const close = async (): Promise<void> => {
    await open?.reader.close()
    open = undefined
  }
  return {
    async current() {
      if (open && engine.clock.nowMs() - openedMs < settings.limits.snapshotMaxMs) return open
      await close()
      const request = readerRequest(session, after, t0)
      openedMs = engine.clock.nowMs()
      open = { reader: await engine.source.openReader(request), readSeq: nextSeq++ }
      session.recorder.time('wait', engine.clock.nowMs() - openedMs)
      session.recorder.note({
        snapshot: open.reader.snapshotId,
        snapshot_log: open.reader.logPosition?.text ?? null,
        snapshot_us: open.reader.takenUs ?? null,
      })
      return open
    },
    close,
  }
}
