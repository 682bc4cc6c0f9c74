import { PassThrough, pipeline } from 'node:stream'
import { assert } from '../../kernel/assert.ts'
import type { RowStream } from '../../sources/source.ts'
import { type Block, cutPieces } from './csv-pieces.ts'
import type { Database } from './database.ts'

/** DuckDB drops a byte order mark before the first row, also when it is the beginning of a value: it gets one to drop. */
const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/** How far the source may run ahead while DuckDB parses. More is copied together by the stream and costs memory. */
const AHEAD_BYTES = 4 * 1024 * 1024

/** Rows of a landing whose first bytes are here, so that an empty stream costs DuckDB nothing. */
export interface OpenedRows {
  readonly isEmpty: boolean
  /** Pours all rows through `insert`, a piece a call; how many rows and bytes the source counted. */
  pour(insert: () => Promise<number>): Promise<{ rowCount: number; byteSize: number }>
}

/** Waits for the first bytes of the source, or its end, or its failure. */
export async function openRows(rows: RowStream, database: Database): Promise<OpenedRows> {
  rows.done.catch(() => {})
  const ahead = new PassThrough({ readableHighWaterMark: AHEAD_BYTES })
  pipeline(rows.bytes, ahead, () => {})
  const blocks = cutPieces(ahead)
  let next = await blocks.next()

  const takePiece = async (insert: () => Promise<number>): Promise<number> => {
    let isOver = false
    const inserted = insert().finally(() => {
      isOver = true
    })
    inserted.catch(() => {})
    const writer = await database.pipe.openWriter(() => isOver)
    try {
      let block: Block | undefined = next.value
      await writer?.write(BYTE_ORDER_MARK)
      while (writer && block && (await writer.write(block.bytes)) && !block.endsPiece) {
        next = await blocks.next()
        block = next.value
      }
    } catch (error) {
      await writer?.close()
      await inserted.catch(() => {})
      throw error
    }
    await writer?.close()
    const rowCount = await inserted
    next = await blocks.next()
    return rowCount
  }

  const pour = async (insert: () => Promise<number>) => {
    let poured = 0
    try {
      while (!next.done) poured += await takePiece(insert)
    } catch (error) {
      ahead.destroy()
      throw error
    }
    const done = await rows.done
    assert(poured === done.rowCount, `the source counted ${done.rowCount} rows, DuckDB read ${poured}`)
    return done
  }
  return { isEmpty: next.done === true, pour }
}
