import { Transform, type TransformCallback } from 'node:stream'
import type { CopyToStreamQuery } from 'pg-copy-streams'
import type { RowStream, WireFormat } from '../../source.ts'
import type { Connection } from '../connect/connection.ts'
import { explainError } from '../connect/explain-error.ts'

const BUFFER_BYTES = 256 * 1024

/** What happens around one COPY. */
export interface CopyPlan {
  readonly format: WireFormat
  /** Asked before the rows, on the same snapshot: the COPY statement, and the last key it will deliver. */
  readonly prepare: () => Promise<{ sql: string; lastKey?: readonly string[] }>
  /** When the last byte has come, before the consumer hears of the end. */
  readonly atEnd: () => Promise<void>
  readonly cancel: () => Promise<void>
}

/** The rows of one COPY as the bytes the server sent (spec E52). The connection is free again when `done` settles. */
export function copyRows(connection: Connection, plan: CopyPlan): RowStream {
  const meter = new Meter(plan.atEnd)
  const done = run(connection, plan, meter)
  // Whoever reads only `bytes` hears of a failure there.
  done.catch(() => {})
  return {
    format: plan.format,
    bytes: meter,
    done,
    cancel: async () => {
      meter.destroy()
      await plan.cancel()
    },
  }
}

async function run(connection: Connection, plan: CopyPlan, meter: Meter): ReturnType<typeof collect> {
  try {
    const { sql, lastKey } = await plan.prepare()
    return await collect(connection.copy(sql), meter, lastKey)
  } catch (error) {
    const explained = explainError(error, connection.place)
    meter.destroy(explained)
    throw explained
  }
}

async function collect(
  copy: CopyToStreamQuery,
  meter: Meter,
  lastKey: readonly string[] | undefined,
): Promise<{ rowCount: number; byteSize: number; lastKey?: readonly string[] }> {
  const ready = new Promise<void>((resolve) => {
    copy.handleReadyForQuery = resolve
  })
  await new Promise<void>((resolve, reject) => {
    copy.once('error', reject)
    meter.once('error', reject)
    meter.once('close', () => reject(new Error('the stream of rows was closed before its end')))
    meter.once('flushed', resolve)
    copy.pipe(meter)
  })
  await ready
  return { rowCount: copy.rowCount, byteSize: meter.byteSize, ...(lastKey ? { lastKey } : {}) }
}

/** Passes chunks through and counts their bytes. */
class Meter extends Transform {
  byteSize = 0
  readonly #atEnd: () => Promise<void>

  constructor(atEnd: () => Promise<void>) {
    super({ highWaterMark: BUFFER_BYTES })
    this.#atEnd = atEnd
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    this.byteSize += chunk.length
    callback(null, chunk)
  }

  override _flush(callback: TransformCallback): void {
    this.#atEnd().then(() => {
      this.emit('flushed')
      callback()
    }, callback)
  }
}
