/**
 * DuckDB's CSV reader cannot be trusted with a long stream. Its parallel reader guesses where rows begin and fails, or
 * could misread, when quoted values hold line ends; its sequential reader keeps every value that had an escaped quote
 * until the statement ends. So the bytes are cut at row ends, found by counting quotes, and each piece is a statement.
 */

/** Below DuckDB's row group of 122,880 rows: smaller inserts are packed together, larger ones leave a torn group each. */
const PIECE_ROWS = 100_000
const PIECE_BYTES = 16 * 1024 * 1024
const BLOCK_BYTES = 256 * 1024
const SAMPLE_BYTES = 8 * 1024

const QUOTE = 0x22
const LINE_END = 0x0a

export interface Block {
  readonly bytes: Buffer
  /** A piece of complete rows ends with this block. */
  readonly endsPiece: boolean
}

/** Passes CSV bytes on in blocks, marking where a statement may end. The last block may leave its piece open. */
export async function* cutPieces(
  chunks: AsyncIterable<Buffer>,
  limits = { rows: PIECE_ROWS, bytes: PIECE_BYTES },
): AsyncGenerator<Block> {
  let isQuoted = false
  let rows = 0
  let size = 0
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += BLOCK_BYTES) {
      const block = chunk.subarray(start, start + BLOCK_BYTES)
      const isQuotedAfter: boolean = isQuoted !== hasOddQuotes(block)
      rows += estimateRows(block)
      size += block.length
      const end = rows >= limits.rows || size >= limits.bytes ? lastRowEnd(block, isQuotedAfter) : 0
      isQuoted = isQuotedAfter
      if (end === 0) {
        yield { bytes: block, endsPiece: false }
        continue
      }
      yield { bytes: block.subarray(0, end), endsPiece: true }
      rows = 0
      size = block.length - end
      if (size > 0) yield { bytes: block.subarray(end), endsPiece: false }
    }
  }
}

/** Most blocks hold no quote, which native code sees at once; to call it for each quote would cost more than the loop. */
function hasOddQuotes(block: Buffer): boolean {
  const first = block.indexOf(QUOTE)
  if (first < 0) return false
  let isOdd = true
  for (let i = first + 1; i < block.length; i++) if (block[i] === QUOTE) isOdd = !isOdd
  return isOdd
}

/** About how many rows a block holds, judged by its beginning: the limit needs no more. */
function estimateRows(block: Buffer): number {
  const sample = Math.min(block.length, SAMPLE_BYTES)
  let lineEnds = 0
  for (let i = 0; i < sample; i++) if (block[i] === LINE_END) lineEnds++
  return (lineEnds * block.length) / sample
}

/** Where the last complete row of a block ends, or 0: a line end outside quotes, looking back from the end. */
function lastRowEnd(block: Buffer, isQuotedAtEnd: boolean): number {
  let isQuoted = isQuotedAtEnd
  for (let i = block.length - 1; i >= 0; i--) {
    const byte = block[i]
    if (byte === LINE_END && !isQuoted) return i + 1
    if (byte === QUOTE) isQuoted = !isQuoted
  }
  return 0
}
