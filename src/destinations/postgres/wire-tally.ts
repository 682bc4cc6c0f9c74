import { createLineSum } from './line-sum.ts'
import type { WireNotation } from './wire-notation.ts'

/** How far behind the sent bytes a server may be when it refuses a row. */
const WINDOW_BYTES = 8 * 1024 * 1024
const NEWLINE = 0x0a

/** Follows the bytes on their way: size, lines, and the last of them for naming the row that an error is about. */
export interface WireTally {
  add(chunk: Buffer): void
  readonly byteSize: () => number
  /** Order-free sum over the lines of the stream, so over every value of every row. */
  readonly checksum: () => string
  /** The fields of the record that ends on the line that COPY counts so (from 1), while it is still at hand. */
  record(copyLine: number): (string | null)[] | undefined
  /** The last records, newest first. */
  lastRecords(count: number): (string | null)[][]
}

export function createWireTally(notation: WireNotation): WireTally {
  /** Chunks at hand, with the count of lines that ended before each. */
  const recent: { readonly chunk: Buffer; readonly linesBefore: number }[] = []
  let [byteSize, recentBytes] = [0, 0]
  const shift = notation.createShift()
  const lines = createLineSum()

  const add = (chunk: Buffer) => {
    shift.add(chunk)
    recent.push({ chunk, linesBefore: lines.lineCount() })
    byteSize += chunk.length
    recentBytes += chunk.length
    while (recentBytes - recent[0]!.chunk.length > WINDOW_BYTES) recentBytes -= recent.shift()!.chunk.length
    lines.add(chunk)
  }

  const record = (copyLine: number) => {
    const line = copyLine + shift.value()
    const at = recent.findLastIndex(({ linesBefore }) => linesBefore < line)
    if (at < 0) return undefined
    const { chunk, linesBefore } = recent[at]!
    let end = -1
    for (let n = linesBefore; n < line; n++) {
      end = chunk.indexOf(NEWLINE, end + 1)
      if (end < 0) return undefined
    }
    const before = Buffer.concat(recent.slice(0, at).map((each) => each.chunk))
    const bytes = Buffer.concat([before, chunk.subarray(0, end)])
    const start = notation.start(bytes, bytes.length)
    if (start < 0 && byteSize !== recentBytes) return undefined
    return notation.parse(bytes.subarray(Math.max(start, 0)))
  }

  const lastRecords = (count: number) => {
    const bytes = Buffer.concat(recent.map((each) => each.chunk))
    const records: (string | null)[][] = []
    let end = bytes.at(-1) === NEWLINE ? bytes.length - 1 : bytes.length
    while (records.length < count && end > 0) {
      const start = notation.start(bytes, end)
      if (start < 0 && byteSize !== recentBytes) break
      records.push(notation.parse(bytes.subarray(Math.max(start, 0), end)))
      end = start - 1
    }
    return records
  }

  return { add, byteSize: () => byteSize, checksum: lines.value, record, lastRecords }
}
