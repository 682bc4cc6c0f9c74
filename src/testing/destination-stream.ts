import type { Destination, Landing, Receipt, StoredClaim, TargetTable } from '../destinations/destination.ts'
import type { Position } from '../kernel/position.ts'
import type { LogicalType } from '../kernel/types.ts'
import type { ColumnShape, RowStream } from '../sources/source.ts'
import { at, rowStream, type TestRow } from './destination-rows.ts'
import type { Scene } from './destination-setup.ts'

/** A column of the suite's tables. */
export function column(name: string, type: LogicalType, nullable = true): ColumnShape {
  return { name, nativeType: nativeTypeOf(type), builtin: true, type, nullable }
}

const NATIVE: Partial<Record<LogicalType['name'], string>> = {
  bool: 'boolean',
  int2: 'smallint',
  int4: 'integer',
  int8: 'bigint',
  uint8: 'numeric(20,0)',
  float4: 'real',
  float8: 'double precision',
  bytes: 'bytea',
  time: 'time without time zone',
  timetz: 'time with time zone',
  timestamp: 'timestamp without time zone',
  timestamptz: 'timestamp with time zone',
  bit: 'bit varying',
  opaque: 'text',
}

function nativeTypeOf(type: LogicalType): string {
  if (type.name === 'list') return `${nativeTypeOf(type.of)}[]`
  if (type.name === 'numeric' && type.precision !== undefined)
    return `numeric(${type.precision},${type.scale ?? 0})`
  return NATIVE[type.name] ?? type.name
}

/** `id int8, at timestamptz, note text`, key `id`, ordered by `at`: what most tests land. */
export function ordersTable(scene: Scene, changes: Partial<TargetTable> = {}): TargetTable {
  return {
    stream: 'suite.orders',
    target: { schema: scene.store.schema, name: 'orders' },
    columns: [
      column('id', { name: 'int8' }, false),
      column('at', { name: 'timestamptz' }),
      column('note', { name: 'text' }),
    ],
    key: ['id'],
    order: { column: 'at', kind: 'timestamptz', tick: 1n, grain: 1n, stampedBy: 'database' },
    mode: 'upsert',
    nullKeys: 'refuse',
    appendOnly: false,
    asText: [],
    ...changes,
  }
}

export function firstClaim(stream: string, changes: Partial<StoredClaim> = {}): StoredClaim {
  return {
    stream,
    generation: 1,
    watermark: undefined,
    proof: 'proven',
    epoch: 1,
    readSeq: 0,
    batch: undefined,
    tailKeys: [],
    facts: '{}',
    ...changes,
  }
}

export interface LandOptions {
  /** The watermark afterwards; by default it stays for other purposes than `run` and is 2026-03-02 for `run`. */
  readonly upper?: Position
  readonly readSeq?: number
  readonly epoch?: number
  readonly batchId?: string
  readonly purpose?: Landing['purpose']
  readonly known?: Landing['known']
  readonly classBelow?: Position
  readonly lower?: Position
  readonly stream?: RowStream
  readonly table?: TargetTable
}

/** A stream at a destination: knows its table, follows its claim, numbers its landings. */
export interface TestStream {
  readonly destination: Destination
  readonly table: TargetTable
  claim(): Promise<StoredClaim>
  land(rows: readonly TestRow[], options?: LandOptions): Promise<Receipt>
  rows(): Promise<TestRow[]>
}

/** Prepares the table and writes its first claim, unless they are there. */
export async function startStream(
  scene: Scene,
  destination: Destination,
  table: TargetTable,
): Promise<TestStream> {
  const present = await destination.claim(table.stream)
  await destination.prepare(table, present)
  if (!present) await destination.writeClaim(firstClaim(table.stream), undefined)
  const claim = async () => {
    const stored = await destination.claim(table.stream)
    if (!stored) throw new Error(`no claim for ${table.stream}`)
    return stored
  }
  const land = async (rows: readonly TestRow[], options: LandOptions = {}) =>
    destination.land(landingOf(table, rows, await claim(), options))
  return {
    destination,
    table,
    claim,
    land,
    rows: async () => sorted(await scene.store.readRows(table.target, table.columns)),
  }
}

/** A landing of rows on top of a claim. */
export function landingOf(
  table: TargetTable,
  rows: readonly TestRow[],
  before: StoredClaim,
  options: LandOptions = {},
): Landing {
  const purpose = options.purpose ?? 'run'
  const readSeq = options.readSeq ?? before.readSeq + 1
  const watermark =
    purpose === 'run' ? (options.upper ?? before.watermark ?? at('2026-03-02')) : before.watermark
  const batchId = options.batchId ?? `batch-${table.stream}-${readSeq}`
  return {
    table: options.table ?? table,
    rows: options.stream ?? rowStream(rows),
    purpose,
    range: watermark && { lower: options.lower, upper: watermark },
    batchId,
    readSeq,
    epoch: options.epoch ?? before.epoch,
    claimBefore: before,
    claimAfter: { ...before, watermark, readSeq: Math.max(readSeq, before.readSeq), batch: batchId },
    known: options.known ?? 'anything',
    classBelow: options.classBelow,
  }
}

/** Rows in one order, for comparing sets. */
export function sorted(rows: readonly TestRow[]): TestRow[] {
  return [...rows].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}
