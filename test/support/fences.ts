import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { formatTimestampUs } from '../../src/kernel/calendar.ts'
import type { Fence } from '../../src/kernel/fence.ts'
import type { PositionOrder } from '../../src/kernel/order.ts'
import type { Position } from '../../src/kernel/position.ts'
import { Pool } from '../../src/sources/postgres/connect/pool.ts'
import { createFencer, type Fencer } from '../../src/sources/postgres/fence/index.ts'
import type { ConnectorMemory, FencePolicy, FenceRequest, TableShape } from '../../src/sources/source.ts'

/** Defaults, made short. */
export const QUICK: FencePolicy = {
  method: 'auto',
  guardMs: 20,
  fenceSampleMs: 50,
  fenceFreshMs: 1000,
  fenceWaitMs: 2000,
  holdMaxMs: 'never',
  settleMs: 200,
  busyWaitMs: 1000,
  excludeRoles: [],
  appendOnly: false,
}

export const BY_TIME: PositionOrder = {
  column: 'u',
  kind: 'timestamptz',
  tick: 1n,
  grain: 1n,
  stampedBy: 'database',
}

/** A memory that several fencers can share, as several processes share the catalog. */
export function mapMemory(map = new Map<string, string>()): ConnectorMemory {
  return { load: async (name) => map.get(name), save: async (name, json) => void map.set(name, json) }
}

/** One table with its fencer and everything that a pull run with overlap 0 would do to it, without a destination. */
export class Pull {
  readonly pool: Pool
  readonly fencer: Fencer
  readonly order: PositionOrder
  readonly landed = new Set<string>()
  watermark: Position | undefined
  fence: Fence | undefined
  debts: { key: string; bound: string }[] = []
  billCount = 0
  readonly #shape: TableShape

  private constructor(pool: Pool, fencer: Fencer, order: PositionOrder, shape: TableShape) {
    this.pool = pool
    this.fencer = fencer
    this.order = order
    this.#shape = shape
  }

  static async open(
    url: string,
    { order = BY_TIME, memory = mapMemory(), table = 't', extraOwnPids = [] as number[] } = {},
  ): Promise<Pull> {
    const pool = new Pool(url)
    const [row] = await pool.ask("SELECT to_regclass('public.' || $1)::oid::text AS oid", [table])
    const fencer = createFencer({
      control: () => pool.control(),
      ownPids: () => [...pool.backendPids(), ...extraOwnPids],
      context: { reach: () => {}, memory, note: () => {} },
    })
    return new Pull(pool, fencer, order, shapeOf(table, row?.oid ?? '0'))
  }

  /** A fence newer than any that another call got. */
  async freshFence(
    policy: Partial<FencePolicy> = {},
    rest: Partial<Omit<FenceRequest, 'policy'>> = {},
  ): Promise<Fence> {
    await sleep((policy.fenceSampleMs ?? QUICK.fenceSampleMs) + 5)
    return this.fencer.fence({
      shape: this.#shape,
      order: this.order,
      outstandingDecrees: this.debts,
      ...rest,
      policy: { ...QUICK, ...policy },
    })
  }

  /** Fence, read `[W, F)` in a later snapshot, move the watermark; bills of settled decrees. */
  async run(policy: Partial<FencePolicy> = {}): Promise<Fence> {
    const fence = await this.freshFence(policy)
    this.fence = fence
    for (const { key, bound } of fence.decrees) {
      if (!this.debts.some((debt) => debt.key === key)) this.debts.push({ key, bound: bound.value })
    }
    for (const key of fence.settledDecrees) {
      const debt = this.debts.find((one) => one.key === key)!
      this.billCount += await this.#land(this.#literal(BigInt(debt.bound)), this.#literal(this.#value()!))
      this.debts = this.debts.filter((one) => one !== debt)
    }
    if (fence.value && (!this.watermark || fence.value.value > this.watermark.value)) {
      const from = this.watermark ? this.#literal(this.#value()!) : undefined
      await this.#land(from, this.#literal(fence.value.value as bigint))
      this.watermark = fence.value
    }
    return fence
  }

  /** Runs until nothing of the table is left at or above the watermark. */
  async runOut(policy: Partial<FencePolicy> = {}): Promise<void> {
    const deadline = performance.now() + 10_000
    for (;;) {
      const [row] = await this.pool.ask(`SELECT max(${this.order.column})::text AS top FROM t`)
      await this.run(policy)
      if (row!.top === null || performance.now() > deadline) return
      const [past] = await this.pool.ask(
        `SELECT count(*)::text AS n FROM t WHERE ${this.order.column} >= ${this.#literal(this.#value() ?? 0n)}`,
      )
      if (past!.n === '0') return
    }
  }

  async close(): Promise<void> {
    await this.fencer.close()
    await this.pool.close()
  }

  #value(): bigint | undefined {
    return this.watermark?.value as bigint | undefined
  }

  async #land(from: string | undefined, to: string): Promise<number> {
    const { column } = this.order
    const lower = from === undefined ? '' : `${column} >= ${from} AND`
    const rows = await this.pool.ask(`SELECT id::text AS id FROM t WHERE ${lower} ${column} < ${to}`)
    const before = this.landed.size
    for (const { id } of rows) this.landed.add(id!)
    return this.landed.size - before
  }

  #literal(value: bigint): string {
    if (this.order.kind === 'integer' || this.order.kind === 'xid8') return `'${value}'::${this.#type()}`
    return `'${formatTimestampUs(value, this.order.kind === 'timestamptz' ? '+00' : '')}'`
  }

  #type(): string {
    return this.order.kind === 'xid8' ? 'xid8' : 'bigint'
  }
}

function shapeOf(name: string, objectId: string): TableShape {
  return {
    table: { schema: 'public', name },
    kind: 'table',
    objectId,
    columns: [],
    keys: [],
    positions: [],
    rowCountEstimate: undefined,
    schemaHash: '',
  }
}

const clients = new Set<pg.Client>()

/** A session of somebody else. Ended by `endSessions`. */
export async function session(url: string, config: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, ...config })
  client.on('error', () => {})
  clients.add(client)
  await client.connect()
  return client
}

export async function endSessions(): Promise<void> {
  const all = [...clients]
  clients.clear()
  await Promise.all(all.map((client) => client.end().catch(() => {})))
}

/** Creates a role that may log in, for the length of `use`. */
export async function withRole<T>(
  admin: pg.Client,
  url: string,
  use: (role: string, url: string) => Promise<T>,
): Promise<T> {
  const role = `r_${randomBytes(4).toString('hex')}`
  await admin.query(`CREATE ROLE ${role} LOGIN`)
  const own = new URL(url)
  own.username = role
  try {
    return await use(role, own.href)
  } finally {
    await admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}' AND pid <> pg_backend_pid()`,
    )
    await admin.query(`DROP OWNED BY ${role}`)
    await admin.query(`DROP ROLE ${role}`)
  }
}

/** The server's clock, µs. */
export async function clockOf(client: pg.Client): Promise<bigint> {
  const { rows } = await client.query(
    'SELECT ((extract(epoch FROM clock_timestamp()) * 1000000)::bigint)::text AS us',
  )
  return BigInt(rows[0].us)
}
