import type { ReachFailpoint } from '../../src/kernel/failpoint.ts'
import type { Fence } from '../../src/kernel/fence.ts'
import type { PositionOrder } from '../../src/kernel/order.ts'
import type {
  FencePolicy,
  OrderDeclaration,
  ReaderRequest,
  ReadScope,
  Source,
  TableShape,
} from '../../src/sources/source.ts'
import { connector } from '../../src/sources/sqlite/index.ts'
import { testContext } from '../../src/testing/destination-setup.ts'
import { parseWire } from '../../src/testing/source-csv.ts'

export const SQLITE_POLICY: FencePolicy = {
  method: 'auto',
  guardMs: 1_000,
  fenceSampleMs: 1_000,
  fenceFreshMs: 10_000,
  fenceWaitMs: 30_000,
  holdMaxMs: 'never',
  settleMs: 30_000,
  busyWaitMs: 60,
  excludeRoles: [],
  appendOnly: false,
}

/** A described SQLite table with an order, and short ways to ask for a fence and for rows. */
export interface SqliteTable {
  readonly source: Source
  readonly shape: TableShape
  readonly order: PositionOrder
  fence(policy?: Partial<FencePolicy>, order?: Partial<PositionOrder>): Promise<Fence>
  request(change?: Partial<ReaderRequest>): ReaderRequest
  /** Rows of a scope in a snapshot of its own, each field as on the wire. */
  rows(scope: ReadScope, change?: Partial<ReaderRequest>): Promise<(string | null)[][]>
  close(): Promise<void>
}

export async function openSqliteTable(
  url: string,
  table: string,
  declared: OrderDeclaration,
  reach: ReachFailpoint = () => {},
): Promise<SqliteTable> {
  const source = await connector.open({ url, context: testContext(reach) })
  const shape = await source.describe({ schema: 'main', name: table }, declared)
  const fact = shape.positions.find((position) => position.column === declared.column)
  if (!fact?.order) throw new Error(`refused: ${fact?.refused}`)
  const order = fact.order
  const request = (change: Partial<ReaderRequest> = {}): ReaderRequest => ({
    shape,
    order,
    key: shape.keys[0]?.columns ?? [],
    format: 'plain_csv',
    asText: [],
    after: undefined,
    futureFromUs: undefined,
    replicaWaitMs: 1_000,
    queryMaxMs: 60_000,
    lockTimeoutMs: 1_000,
    pageRows: 1_000,
    fullScanMaxRows: 100_000,
    ...change,
  })
  return {
    source,
    shape,
    order,
    fence: (policy = {}, change = {}) =>
      source.fence({
        shape,
        order: { ...order, ...change },
        policy: { ...SQLITE_POLICY, ...policy },
        outstandingDecrees: [],
      }),
    request,
    async rows(scope, change) {
      const reader = await source.openReader(request(change))
      try {
        const chunks: Buffer[] = []
        for await (const chunk of reader.read(scope).bytes) chunks.push(chunk as Buffer)
        return parseWire(Buffer.concat(chunks).toString('utf8'))
      } finally {
        await reader.close()
      }
    },
    close: () => source.close(),
  }
}
