import { performance } from 'node:perf_hooks'
import { finished, Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { PlimsollError } from '../../../kernel/errors.ts'
import type { ConnectorContext, RowStream } from '../../source.ts'
import type { Db } from '../connection.ts'
import { named } from '../connection.ts'
import type { Value } from './encode.ts'
import type { RowWriter } from './row-writer.ts'

/** Rows taken from SQLite before the event loop has its turn: about a millisecond. */
const ROWS_A_STEP = 500
const CHUNK_CHARACTERS = 64 * 1024
const BUFFERED_BYTES = 256 * 1024

export interface StreamRequest {
  readonly sql: string
  readonly pageRows: number
  readonly queryMaxMs: number
  /** Lanes are read on after the last key. */
  readonly withLastKey: boolean
}

type Done = Awaited<RowStream['done']>

/**
 * Runs a query as CSV in short steps, as fast as the reader of the stream takes it. Throws into the stream
 * SOURCE_QUERY_TOO_LONG after `queryMaxMs`, and VALUE_NOT_REPRESENTABLE.
 */
export function streamRows(
  db: Db,
  writer: RowWriter,
  request: StreamRequest,
  reach: ConnectorContext['reach'],
): RowStream {
  const totals = { rowCount: 0, byteSize: 0, lastRow: undefined as readonly Value[] | undefined }
  const bytes = Readable.from(chunks(db, writer, request, reach, totals), {
    objectMode: false,
    highWaterMark: BUFFERED_BYTES,
  })
  const done = new Promise<Done>((resolve, reject) => {
    finished(bytes, { writable: false }, (error) => {
      if (error) return reject(error.message === 'Premature close' ? cancelled() : error)
      const { rowCount, byteSize, lastRow } = totals
      const lastKey = request.withLastKey && lastRow ? { lastKey: writer.keyOf(lastRow) } : {}
      resolve({ rowCount, byteSize, ...lastKey })
    })
  })
  done.catch(() => {}) // Whoever reads the bytes sees the error there; nobody has to look at both.
  return {
    format: 'plain_csv',
    bytes,
    done,
    byteSizeSoFar: () => totals.byteSize,
    async cancel() {
      bytes.destroy()
    },
  }
}

async function* chunks(
  db: Db,
  writer: RowWriter,
  { sql, pageRows, queryMaxMs }: StreamRequest,
  reach: ConnectorContext['reach'],
  totals: { rowCount: number; byteSize: number; lastRow: readonly Value[] | undefined },
): AsyncGenerator<Buffer> {
  const began = performance.now()
  const rows = named(db.name, () => db.prepare(sql).raw(true).safeIntegers(true).iterate())
  let text = ''
  let ended = false
  try {
    while (!ended) {
      for (let i = 0; i < ROWS_A_STEP && text.length < CHUNK_CHARACTERS; i++) {
        const next = named(db.name, () => rows.next())
        if (next.done) {
          ended = true
          break
        }
        const row = next.value as readonly Value[]
        text += writer.line(row)
        totals.lastRow = row
        totals.rowCount++
        if (totals.rowCount % pageRows === 0) await reach('read.page_done')
      }
      if (text.length >= CHUNK_CHARACTERS || (ended && text !== '')) {
        const chunk = Buffer.from(text, 'utf8')
        totals.byteSize += chunk.length
        text = ''
        yield chunk
      }
      if (performance.now() - began > queryMaxMs) throw tooLong(queryMaxMs)
      await nextTurn()
    }
    await reach('read.last_page_done')
  } finally {
    rows.return?.()
  }
}

function tooLong(queryMaxMs: number): PlimsollError {
  return new PlimsollError('SOURCE_QUERY_TOO_LONG', `a query ran longer than ${queryMaxMs} ms`, {
    hint: 'The range is read again in smaller slices; raise queryMaxMs if the destination is slow.',
  })
}

function cancelled(): PlimsollError {
  return new PlimsollError('SOURCE_FAILED', 'the query was cancelled before its end')
}
