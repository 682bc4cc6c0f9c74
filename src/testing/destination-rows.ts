import { Readable } from 'node:stream'
import { parseTimestamp } from '../kernel/calendar.ts'
import type { Position } from '../kernel/position.ts'
import type { RowStream } from '../sources/source.ts'

/** One row as the wire's texts, in column order; null is NULL. */
export type TestRow = readonly (string | null)[]

const CHUNK_BYTES = 64 * 1024

/** Rows as PostgreSQL's COPY writes CSV: NULL an unquoted empty field, empty text quoted, `\n` between rows. */
export function csvOf(rows: readonly TestRow[]): string {
  return rows.map((row) => `${row.map(csvField).join(',')}\n`).join('')
}

function csvField(value: string | null): string {
  if (value === null) return ''
  if (value !== '' && value !== '\\.' && !/[",\n\r]/.test(value)) return value
  return `"${value.replaceAll('"', '""')}"`
}

/** A RowStream of `plain_csv` over rows held in memory. */
export function rowStream(rows: readonly TestRow[]): RowStream {
  return rawStream(Buffer.from(csvOf(rows), 'utf8'), rows.length)
}

/** A RowStream over bytes; `failure` breaks it off after them. */
export function rawStream(bytes: Buffer, rowCount: number, failure?: Error): RowStream {
  const readable = Readable.from(chunksOf(bytes, failure), { objectMode: false })
  const done = new Promise<{ rowCount: number; byteSize: number }>((resolve, reject) => {
    readable.once('end', () => resolve({ rowCount, byteSize: bytes.length }))
    readable.once('error', reject)
    readable.once('close', () => reject(new Error('the stream was cancelled')))
  })
  done.catch(() => {})
  const cancel = async () => void readable.destroy()
  return { format: 'plain_csv', bytes: readable, done, cancel }
}

async function* chunksOf(bytes: Buffer, failure: Error | undefined): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES)
  if (failure) throw failure
}

/** A timestamptz position from text such as `2026-03-01 10:00:05`. */
export function at(text: string): Position {
  const value = parseTimestamp(text)
  if (value === undefined) throw new Error(`not a timestamp: ${text}`)
  return { kind: 'timestamptz', value }
}
