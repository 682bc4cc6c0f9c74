const NEWLINE = 0x0a

/**
 * Order-free sum over the lines of a byte stream: one 32-bit hash a line, added up. In JavaScript, because a call into
 * native code for each line costs twice as much.
 */
export interface LineSum {
  add(chunk: Buffer): void
  /** Lines that have ended so far. */
  readonly lineCount: () => number
  readonly value: () => string
}

export function createLineSum(): LineSum {
  let lineCount = 0
  let sum = 0n
  /** The beginning of a line whose end is not here yet. */
  let begun: Buffer[] = []

  const add = (chunk: Buffer) => {
    let start = 0
    // Exact: a chunk would need two million lines to reach 2^53.
    let chunkSum = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      if (begun.length > 0) {
        const line = Buffer.concat([...begun, chunk.subarray(0, end)])
        chunkSum += hashOf(line, 0, line.length)
        begun = []
      } else {
        chunkSum += hashOf(chunk, start, end)
      }
      lineCount++
      start = end + 1
    }
    if (start < chunk.length) begun.push(chunk.subarray(start))
    sum += BigInt(chunkSum)
  }

  return { add, lineCount: () => lineCount, value: () => String(sum) }
}

/** Four bytes a step, multiplied and folded as in MurmurHash. */
function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = end - start
  let i = start
  for (const last = end - 3; i < last; i += 4) {
    const word = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24)
    hash = Math.imul(hash ^ word, 0x5bd1e995)
    hash ^= hash >>> 15
  }
  for (; i < end; i++) {
    hash = Math.imul(hash ^ bytes[i]!, 0x5bd1e995)
    hash ^= hash >>> 13
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}
