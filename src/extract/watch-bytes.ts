import type { RowStream } from '../sources/source.ts'
import type { StreamSession } from './stream-session.ts'

const TELL_MS = 250

/**
 * Tells four times a second how many bytes have come meanwhile. The stream is asked, and does nothing for it while rows
 * pass. Returns how to stop.
 */
export function watchBytes({ engine, settings }: StreamSession, rows: RowStream): () => void {
  const { byteSizeSoFar } = rows
  if (!byteSizeSoFar) return () => undefined
  let told = 0
  const timer = setInterval(() => {
    const byteSize = byteSizeSoFar() - told
    if (byteSize === 0) return
    told += byteSize
    engine.emit({ kind: 'bytes', stream: settings.stream, byteSize })
  }, TELL_MS)
  timer.unref()
  return () => clearInterval(timer)
}
