import { Transform, type TransformCallback } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CopyToStreamQuery } from 'pg-copy-streams'
import { PlimsollError } from '../../../kernel/errors.ts'
import type { RowStream, WireFormat } from '../../source.ts'
import type { Connection } from '../connect/connection.ts'
import { explainError } from '../connect/explain-error.ts'

const BUFFER_BYTES = 256 * 1024
/** How long the server may take to end a query; then its connection is given up. */
const STOP_PATIENCE_MS = 10_000
const QUIET_LOOK_MS = 1_000

/** What happens around one COPY. */
export interface CopyPlan {
  readonly format: WireFormat
  /** The server ends a long query first; this is for a network that passes nothing on any more. */
  readonly quietMaxMs: number
  /** Asked before the rows, on the same snapshot: the COPY statement, and the last key it will deliver. */
  readonly prepare: () => Promise<{ sql: string; lastKey?: readonly string[] }>
  /** When the last byte has come, before the consumer hears of the end. */
  readonly atEnd: () => Promise<void>
  /** Asks the server on another connection to end the query, for this one is full of rows. */
  readonly stop: () => Promise<void>
  /** After a failure: makes the transaction usable again. */
  readonly recover: () => Promise<void>
}

/**
 * The rows of one COPY as the bytes the server sent (spec E52). When `done` settles the connection is free again, also
 * after a failure or a cancel: the snapshot goes on.
 */
export function copyRows(connection: Connection, plan: CopyPlan): RowStream {
  const meter = new Meter(plan.atEnd)
  // Whoever reads only `done` hears of a failure there, and the other way round.
  meter.on('error', () => {})
  const done = run(connection, plan, meter)
  done.catch(() => {})
  return {
    format: plan.format,
    bytes: meter,
    done,
    byteSizeSoFar: () => meter.byteSize,
    cancel: async () => {
      meter.destroy()
      await done.catch(() => {})
    },
  }
}

type Totals = Awaited<RowStream['done']>

async function run(connection: Connection, plan: CopyPlan, meter: Meter): Promise<Totals> {
  let query: StartedCopy | undefined
  try {
    const { sql, lastKey } = await plan.prepare()
    if (meter.destroyed) throw endedEarly()
    query = watch(connection.copy(sql))
    const stopWatching = watchQuiet(connection, meter, plan.quietMaxMs)
    const rowCount = await pass(query.copy, meter).finally(stopWatching)
    return { rowCount, byteSize: meter.byteSize, ...(lastKey ? { lastKey } : {}) }
  } catch (error) {
    const explained = explainError(error, connection.place)
    if (query) await stop(connection, query, plan)
    await plan.recover()
    meter.destroy(explained)
    throw explained
  }
}

interface StartedCopy {
  readonly copy: CopyToStreamQuery
  /** The server has sent its last row, or an error. */
  readonly over: Promise<true>
}

function watch(copy: CopyToStreamQuery): StartedCopy {
  const over = new Promise<true>((resolve) => {
    for (const event of ['end', 'error', 'close']) copy.once(event, () => resolve(true))
  })
  return { copy, over }
}

/** Ends the connection when no row has come for too long although somebody would take it. Returns how to stop. */
function watchQuiet(connection: Connection, meter: Meter, maxMs: number): () => void {
  // Looks are counted, not time: a process that stood still has missed nothing.
  let [seen, quietLooks] = [0, 0]
  const timer = setInterval(() => {
    const isQuiet = meter.byteSize === seen && !meter.writableNeedDrain
    seen = meter.byteSize
    quietLooks = isQuiet ? quietLooks + 1 : 0
    if (quietLooks * QUIET_LOOK_MS > maxMs) connection.destroy()
  }, QUIET_LOOK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** Resolves with the row count once all bytes have passed and the server is ready for the next query. */
async function pass(copy: CopyToStreamQuery, meter: Meter): Promise<number> {
  const ready = new Promise<void>((resolve, reject) => {
    copy.handleReadyForQuery = resolve
    copy.once('error', reject)
  })
  const passed = new Promise<void>((resolve, reject) => {
    copy.once('error', reject)
    meter.once('error', reject)
    meter.once('close', () => reject(endedEarly()))
    meter.once('flushed', resolve)
  })
  copy.pipe(meter)
  await Promise.all([passed, ready])
  return copy.rowCount
}

/** Ends the query at the source, if it still runs, and throws away what it sends meanwhile. */
async function stop(connection: Connection, { copy, over }: StartedCopy, plan: CopyPlan): Promise<void> {
  const isOver = await Promise.race([over, Promise.resolve(false)])
  if (isOver || !connection.usable) return
  copy.unpipe()
  copy.resume()
  const patience = new AbortController()
  const late = sleep(STOP_PATIENCE_MS, false, { signal: patience.signal }).catch(() => false)
  await Promise.race([plan.stop().catch(() => {}), late])
  if (!(await Promise.race([over, late]))) connection.destroy()
  patience.abort()
}

function endedEarly(): PlimsollError {
  return new PlimsollError('SOURCE_FAILED', 'the reading of rows was given up before its end')
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
