import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import type { PositionOrder } from '../../src/kernel/order.ts'
import type { Position } from '../../src/kernel/position.ts'
import { PostgresSource } from '../../src/sources/postgres/postgres-source.ts'
import type {
  ConnectorContext,
  OrderDeclaration,
  Reader,
  ReaderRequest,
  Source,
  SourceOptions,
  TableShape,
} from '../../src/sources/source.ts'

/** A context that remembers nothing longer than the test; notes are kept. */
export function testContext(): ConnectorContext & { notes: string[] } {
  const memory = new Map<string, string>()
  const notes: string[] = []
  return {
    notes,
    reach: () => {},
    note: (line) => notes.push(line),
    memory: {
      load: async (name) => memory.get(name),
      save: async (name, json) => void memory.set(name, json),
    },
  }
}

/** A PostgreSQL source that the test closes when it ends. */
export function openSource(url: string, options: Partial<SourceOptions> = {}): Source {
  const source = new PostgresSource({ url, context: testContext(), ...options })
  onTestFinished(() => source.close())
  return source
}

/** An open session for a test's own statements; rows come as arrays of texts. */
export async function openSession(url: string): Promise<(sql: string) => Promise<string[][]>> {
  const client = new pg.Client({
    connectionString: url,
    types: { getTypeParser: () => (value: unknown) => value },
  })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end().catch(() => {}))
  return async (sql) => {
    const answer = await client.query({ text: sql, rowMode: 'array' })
    return (Array.isArray(answer) ? answer.at(-1) : answer).rows as string[][]
  }
}

/** A request for a reader as a run would make it. */
export function readerRequest(
  shape: TableShape,
  order: PositionOrder,
  rest: Partial<ReaderRequest> = {},
): ReaderRequest {
  return {
    shape,
    order,
    key: shape.keys[0]?.columns ?? [],
    format: 'plain_csv',
    asText: [],
    after: undefined,
    futureFromUs: undefined,
    replicaWaitMs: 5_000,
    queryMaxMs: 60_000,
    lockTimeoutMs: 1_000,
    pageRows: 10_000,
    fullScanMaxRows: 100_000,
    ...rest,
  }
}

/** Describes a table and opens a reader ordered by a column of it. */
export async function readTable(
  source: Source,
  name: string,
  declared: OrderDeclaration,
  rest: Partial<ReaderRequest> = {},
): Promise<{ reader: Reader; shape: TableShape; order: PositionOrder }> {
  const [schema, table] = name.split('.') as [string, string]
  const shape = await source.describe({ schema, name: table }, declared)
  const order = orderIn(shape, declared.column)
  const reader = await source.openReader(readerRequest(shape, order, rest))
  onTestFinished(() => reader.close())
  return { reader, shape, order }
}

/** The order a shape gives to a column; fails where it is refused. */
export function orderIn(shape: TableShape, column: string): PositionOrder {
  const fact = shape.positions.find((each) => each.column === column)
  if (!fact?.order) throw new Error(`${column} is refused: ${fact?.refused}`)
  return fact.order
}

export const collect = (bytes: Readable): Promise<string> => text(bytes)

export const tz = (value: bigint): Position => ({ kind: 'timestamptz', value })
