import { PlimsollError } from '../../kernel/errors.ts'
import type { ReachFailpoint } from '../../kernel/failpoint.ts'
import type { LogPosition } from '../../kernel/fence.ts'
import type { PositionOrder } from '../../kernel/order.ts'
import type { ColumnShape, ConnectorMemory, ReaderRequest, Source, TableShape } from '../../sources/source.ts'
import type { ModelDatabase } from './model-database.ts'
import { clockFence, type FenceMeans, type OwnReading, xidFence } from './model-fence.ts'
import { createModelReader } from './model-reader.ts'
import type { ModelStandby } from './model-standby.ts'
import type { Random } from './random.ts'
import type { VirtualClock } from './virtual-clock.ts'

export interface ModelSourceOptions {
  readonly method: 'P1' | 'P2' | 'P3'
  readonly database: ModelDatabase
  /** Rows are read from one of these, by chance, when there are any: two stand for a balancer (spec E30). */
  readonly standbys: readonly ModelStandby[]
  readonly clock: VirtualClock
  readonly grainUs: bigint
  readonly memory: ConnectorMemory
  readonly reach: ReachFailpoint
  readonly random: Random
  /** Lets the world go on a little: called wherever a real source would be waited for. */
  readonly pause: () => void
  readonly sleep: (ms: number) => Promise<void>
  /** Whether the rows that are being read break off here. */
  readonly breaksOff: () => boolean
  /** Of the process that the source is opened in. */
  readonly ownReading: OwnReading
  /** The deliberate mistake `prepared_ignored`. */
  readonly prepareIgnored?: boolean
}

const TABLE = { schema: 'public', name: 'orders' } as const
const POLL_MS = 100

const notCompared = (): PlimsollError =>
  new PlimsollError('NOT_SUPPORTED', 'the model computes no sums beside its rows')

/** A source of one table `orders (id, at, payload)` over the model database, behind the same contract as a real one. */
export function createModelSource(options: ModelSourceOptions): Source {
  const { database, standbys, clock, random } = options
  const logPosition = (commitCount: number): LogPosition => ({
    timeline: '1',
    text: `0/${commitCount.toString(16)}`,
  })
  const shape = shapeOf(options)
  let snapshotCount = 0
  const means: FenceMeans = {
    ...options,
    prepareIgnored: options.prepareIgnored ?? false,
    logPosition: () => logPosition(database.log.length),
  }
  return {
    capabilities: {
      exactFence: true,
      snapshotReads: true,
      formats: ['plain_csv'],
      pushdownFingerprint: false,
    },
    async identity() {
      return {
        engine: 'model',
        version: '1',
        id: 'model',
        database: 'model',
        timeline: '1',
        logPosition: logPosition(database.log.length),
      }
    },
    async list() {
      return [{ table: TABLE, kind: 'table', rowCountEstimate: database.committed.size, byteSize: undefined }]
    },
    async describe(table) {
      if (table.name === TABLE.name) return shape
      throw new PlimsollError('TABLE_NOT_FOUND', `no table ${table.name}`, {
        hint: `There is ${TABLE.name}.`,
      })
    },
    fence: (request) =>
      options.method === 'P3' ? xidFence(means, request) : clockFence(means, request, options.method),
    openLook: () => Promise.reject(notCompared()),
    async openReader(request) {
      const standby = standbys.length > 0 ? random.pick(standbys) : undefined
      if (standby) await waitForReplay(standby, request)
      await options.reach('read.locked')
      const rows = [...(standby?.rows ?? database.committed).values()]
      const snapshot = {
        id: `s${++snapshotCount}`,
        rows,
        logPosition: logPosition(standby?.replayed ?? database.log.length),
      }
      await options.reach('read.snapshot_opened')
      return createModelReader(snapshot, request, options)
    },
    async explain() {
      return { sql: 'model', expectedRows: 1, sequentialScan: false, sort: false, obstacle: undefined }
    },
    async close() {},
  }

  /** Polls the replayed position until the fence's is reached (spec E29). Throws REPLICA_BEHIND. */
  async function waitForReplay(standby: ModelStandby, request: ReaderRequest): Promise<void> {
    const target = request.after ? Number.parseInt(request.after.text.slice(2), 16) : 0
    const startedUs = clock.trueUs()
    while (standby.replayed < target) {
      if (clock.trueUs() - startedUs > BigInt(request.replicaWaitMs) * 1000n) {
        throw new PlimsollError('REPLICA_BEHIND', `the standby has replayed ${standby.replayed} of ${target}`)
      }
      await options.sleep(POLL_MS)
    }
    await options.reach('replica.waited')
  }
}

function shapeOf({ method, grainUs, database }: ModelSourceOptions): TableShape {
  const timed = method !== 'P3'
  const column = (
    name: string,
    nativeType: string,
    type: ColumnShape['type'],
    nullable: boolean,
  ): ColumnShape => ({
    name,
    nativeType,
    builtin: true,
    type,
    nullable,
  })
  const order: PositionOrder = timed
    ? { column: 'at', kind: 'timestamptz', tick: 1n, grain: grainUs, stampedBy: 'database' }
    : { column: 'at', kind: 'xid8', tick: 1n, grain: 1n, stampedBy: 'database' }
  return {
    table: TABLE,
    kind: 'table',
    objectId: '1',
    columns: [
      column('id', 'bigint', { name: 'int8' }, false),
      timed
        ? column('at', 'timestamp with time zone', { name: 'timestamptz' }, true)
        : column('at', 'xid8', { name: 'uint8' }, true),
      column('payload', 'text', { name: 'text' }, true),
    ],
    keys: [{ columns: ['id'], origin: 'primary_key' }],
    positions: [
      {
        column: 'at',
        order,
        refused: undefined,
        nullable: true,
        indexed: true,
        evidence: ['model'],
        score: 90,
      },
    ],
    rowCountEstimate: database.committed.size,
    schemaHash: 'model',
  }
}
