import { Readable } from 'node:stream'
import { PlimsollError } from '../../kernel/errors.ts'
import type { LogPosition } from '../../kernel/fence.ts'
import type { Lane } from '../../kernel/lane.ts'
import type { Position } from '../../kernel/position.ts'
import type { Reader, ReaderRequest, ReadScope, RowStream } from '../../sources/source.ts'
import { laneOf, type ModelRow, rowToCsv } from './model-row.ts'
import type { Random } from './random.ts'

/** One snapshot: the rows as they were when it was opened. */
export interface ModelSnapshot {
  readonly id: string
  readonly rows: readonly ModelRow[]
  readonly logPosition: LogPosition
}

export interface ReadingMeans {
  readonly random: Random
  readonly pause: () => void
  readonly breaksOff: () => boolean
}

/** Reads one snapshot; rows of a range come in any order, a line or two a chunk, and writers go on in between. */
export function createModelReader(
  snapshot: ModelSnapshot,
  request: ReaderRequest,
  { random, pause, breaksOff }: ReadingMeans,
): Reader {
  const kind = request.order.kind as 'timestamptz' | 'xid8'
  const timed = kind === 'timestamptz'
  const lane = (row: ModelRow): Lane | undefined => laneOf(row, request.futureFromUs)
  const normal = snapshot.rows.filter((row) => lane(row) === undefined)
  const positions = normal.map((row) => row.position as bigint).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const at = (value: bigint | undefined): Position | undefined =>
    value === undefined ? undefined : { kind, value }
  return {
    snapshotId: snapshot.id,
    logPosition: snapshot.logPosition,
    async nextBorder(from, upper, rowCount) {
      const above = positions.filter(
        (each) => (from === undefined || each > (from.value as bigint)) && each < (upper.value as bigint),
      )
      return at(above[rowCount - 1])
    },
    read(scope) {
      const rows = rowsOf(scope)
      if (scope.kind !== 'lane') shuffle(rows, random)
      return streamOf(rows, timed, { random, pause, breaksOff })
    },
    async countLanes(limit) {
      const counts: Partial<Record<Lane, number>> = {}
      for (const row of snapshot.rows) {
        const name = lane(row)
        if (name) counts[name] = Math.min((counts[name] ?? 0) + 1, limit + 1)
      }
      return counts
    },
    async newest() {
      return at(positions.at(-1))
    },
    async close() {},
  }

  function rowsOf(scope: ReadScope): ModelRow[] {
    if (scope.kind === 'lane') {
      const after = Number(scope.afterKey?.[0] ?? -1)
      const rows = snapshot.rows.filter((row) => lane(row) === scope.lane && row.key > after)
      return rows.sort((a, b) => a.key - b.key).slice(0, scope.limit)
    }
    if (scope.kind === 'keys') {
      const keys = new Set(scope.keys.map(([key]) => Number(key)))
      return snapshot.rows.filter((row) => keys.has(row.key))
    }
    const lower = (scope.kind === 'peek' ? scope.from : scope.range.lower)?.value as bigint | undefined
    const upper = scope.kind === 'peek' ? undefined : (scope.range.upper.value as bigint)
    return normal.filter(({ position }) => {
      const value = position as bigint
      return (lower === undefined || value >= lower) && (upper === undefined || value < upper)
    })
  }
}

/** A long stream lets others have their turn, as one from a server does. */
const CHUNKS_AT_ONCE = 32

function shuffle(rows: ModelRow[], random: Random): void {
  for (let i = rows.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const swapped = rows[i]!
    rows[i] = rows[j]!
    rows[j] = swapped
  }
}

function streamOf(
  rows: readonly ModelRow[],
  timed: boolean,
  { random, pause, breaksOff }: ReadingMeans,
): RowStream {
  let next = 0
  let byteSize = 0
  let chunkCount = 0
  let ended = false
  const { promise: done, resolve, reject } = withResolvers()
  const bytes = new Readable({
    read() {
      pause()
      if (breaksOff()) {
        this.destroy(new PlimsollError('SOURCE_SNAPSHOT_LOST', 'simulated: the stream broke off'))
        return
      }
      if (next >= rows.length) {
        ended = true
        const last = rows.at(-1)
        const lastKey = last && { lastKey: [String(last.key)] }
        resolve({ rowCount: rows.length, byteSize, ...lastKey })
        this.push(null)
        return
      }
      let text = rowToCsv(rows[next++]!, timed)
      if (next < rows.length && random.chance(0.5)) text += rowToCsv(rows[next++]!, timed)
      const chunk = Buffer.from(text)
      byteSize += chunk.length
      if (++chunkCount % CHUNKS_AT_ONCE !== 0) this.push(chunk)
      else setImmediate(() => this.push(chunk))
    },
    destroy(error, callback) {
      if (!ended) reject(error ?? new Error('the stream was cancelled'))
      callback(error)
    },
  })
  return { format: 'plain_csv', bytes, done, cancel: async () => void bytes.destroy() }
}

type Done = Awaited<RowStream['done']>

function withResolvers(): {
  promise: Promise<Done>
  resolve: (done: Done) => void
  reject: (e: Error) => void
} {
  let resolve!: (done: Done) => void
  let reject!: (error: Error) => void
  const promise = new Promise<Done>((onDone, onError) => {
    resolve = onDone
    reject = onError
  })
  promise.catch(() => undefined)
  return { promise, resolve, reject }
}
