import type { Readable } from 'node:stream'
import { expect } from 'vitest'
import type { Fence } from '../kernel/fence.ts'
import { usToPosition } from '../kernel/moment.ts'
import type { PositionOrder } from '../kernel/order.ts'
import type { Position } from '../kernel/position.ts'
import type { FencePolicy, Reader, ReaderRequest, ReadScope, TableShape } from '../sources/source.ts'
import { parseWire } from './source-csv.ts'
import type { SourceSetup, SuiteDatabase, SuiteRow } from './source-setup.ts'

const POLICY: FencePolicy = {
  method: 'auto',
  guardMs: 50,
  fenceSampleMs: 50,
  fenceFreshMs: 1_000,
  fenceWaitMs: 500,
  holdMaxMs: 'never',
  settleMs: 1_000,
  busyWaitMs: 100,
  excludeRoles: [],
  appendOnly: false,
}
const FUTURE_TOLERANCE_US = 5_000_000n
const LONGEST_WAIT_MS = 15_000
const PAUSE_MS = 100

/** 2026-01-05 10:00:00 UTC: the suite's own rows stand at whole seconds from here. */
export const MONDAY_US = 1_767_607_200_000_000n
export const second = (n: number): bigint => MONDAY_US + BigInt(n) * 1_000_000n
export const row = (id: number, at: bigint | null, payload: string | null = `row ${id}`): SuiteRow => ({
  id,
  at,
  payload,
})

/** A described table with the requests that the tests make of it. */
export interface SourceScene {
  readonly database: SuiteDatabase
  readonly shape: TableShape
  readonly order: PositionOrder
  at(us: bigint): Position
  fence(order?: Partial<PositionOrder>): Promise<Fence>
  /** Takes fences until one has a value that `isGood` accepts. */
  fenceUntil(isGood: (value: Position) => boolean | Promise<boolean>): Promise<Position>
  request(t0Us: bigint, change?: Partial<ReaderRequest>): ReaderRequest
  /** A reader opened now, after a fence that has no part in it. Closed at the end of the scene. */
  openReader(t0Us?: bigint, change?: Partial<ReaderRequest>): Promise<Reader>
  /** The ids in `[lower, upper)` as a reader opened now sees them, ascending. */
  idsBetween(lower: Position | undefined, upper: Position): Promise<number[]>
  pause(ms: number): Promise<void>
}

export async function inSourceScene(
  setup: SourceSetup,
  testName: string,
  run: (scene: SourceScene) => Promise<void>,
): Promise<void> {
  const database = await setup.create(testName)
  const readers: Reader[] = []
  try {
    await run(await describeScene(database, readers))
  } finally {
    for (const reader of readers) await reader.close()
    await database.source.close()
    await database.close()
  }
}

async function describeScene(database: SuiteDatabase, readers: Reader[]): Promise<SourceScene> {
  const { source, declared } = database
  const shape = await source.describe(database.table, declared)
  const fact = shape.positions.find((position) => position.column === declared.column)
  expect(fact?.refused).toBeUndefined()
  const order = fact!.order!
  const pause = database.pause ?? ((ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)))
  const fence: SourceScene['fence'] = (change = {}) =>
    source.fence({
      shape,
      order: { ...order, ...change },
      policy: { ...POLICY, ...database.policy },
      outstandingDecrees: [],
    })
  const request: SourceScene['request'] = (t0Us, change = {}) => ({
    shape,
    order,
    key: ['id'],
    // The suite reads the notation that all sources and destinations share; others are their connectors' own to test.
    format: 'plain_csv',
    asText: [],
    after: undefined,
    futureFromUs: t0Us + FUTURE_TOLERANCE_US,
    replicaWaitMs: 1_000,
    queryMaxMs: 60_000,
    lockTimeoutMs: 2_000,
    pageRows: 7,
    fullScanMaxRows: 100_000,
    ...change,
  })
  const openReader: SourceScene['openReader'] = async (t0Us, change) => {
    const reader = await source.openReader(request(t0Us ?? BigInt((await fence()).t0), change))
    const once = { closed: false }
    const closing: Reader = {
      ...reader,
      close: async () => {
        if (!once.closed) await reader.close()
        once.closed = true
      },
    }
    readers.push(closing)
    return closing
  }
  return {
    database,
    shape,
    order,
    at: (us) => usToPosition(order, us),
    fence,
    async fenceUntil(isGood) {
      for (let waitedMs = 0; waitedMs < LONGEST_WAIT_MS; waitedMs += PAUSE_MS) {
        const { value } = await fence()
        if (value && (await isGood(value))) return value
        await pause(PAUSE_MS)
      }
      throw new Error(`no such fence in ${LONGEST_WAIT_MS} ms`)
    },
    request,
    openReader,
    async idsBetween(lower, upper) {
      const reader = await openReader()
      const ids = await idsOf(reader, { kind: 'range', range: { lower, upper } })
      await reader.close()
      return ids
    },
    pause,
  }
}

/** The ids in a scope, ascending; also checks the totals that the stream gives of itself. */
export async function idsOf(reader: Reader, scope: ReadScope): Promise<number[]> {
  const stream = reader.read(scope)
  const { text, byteSize } = await textOf(stream.bytes)
  const rows = parseWire(text)
  const done = await stream.done
  expect({ rowCount: done.rowCount, byteSize: done.byteSize }).toEqual({ rowCount: rows.length, byteSize })
  return rows.map((each) => Number(each[0])).sort((a, b) => a - b)
}

export async function textOf(bytes: Readable): Promise<{ text: string; byteSize: number }> {
  const chunks: Buffer[] = []
  for await (const chunk of bytes) chunks.push(Buffer.from(chunk as Buffer))
  const all = Buffer.concat(chunks)
  return { text: new TextDecoder('utf-8', { fatal: true }).decode(all), byteSize: all.length }
}
