import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Destination, TargetTable } from '../../src/destinations/destination.ts'
import type { LookScope } from '../../src/kernel/fingerprint/comparison.ts'
import { makeComparisonPlan } from '../../src/kernel/fingerprint/make-plan.ts'
import { positionFromCanonical } from '../../src/kernel/fingerprint/position-text.ts'
import { comparePositions, type Position } from '../../src/kernel/position.ts'
import { quoteLiteral } from '../../src/kernel/sql-text.ts'
import type { Look } from '../../src/sources/look.ts'
import type { OrderDeclaration, Source } from '../../src/sources/source.ts'
import { firstClaim } from '../../src/testing/destination-stream.ts'
import { openEngine } from '../support/engine.ts'
import { openSession, orderIn, readerRequest } from '../support/postgres-source.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'
import { freshSqliteFile } from '../support/sqlite-files.ts'
import { tempFolder } from '../types/stage.ts'

interface Ordered {
  readonly type: string
  readonly declared?: Partial<OrderDeclaration>
  /** Values with a place in the order, and values without one. */
  readonly placed: readonly string[]
  readonly odd: readonly string[]
}

const ISO = ['2026-03-01 10:00:00', '2026-03-01 10:00:01', '0000-00-00 00:00:00', '9999-12-31 23:59:59']
const NO_ISO = [
  '',
  'é',
  '2026-03-01T10:00:00',
  '2026-03-01 10:00:00.5',
  '2026-03-01 10:00',
  '2026-43-01 10:00:00',
  ' 2026-03-01 10:00:00',
  '2026-03-01 10:00:00\n',
  '~',
  'N',
  'v1:x',
  'z',
  '9'.repeat(5_000),
]
const ULIDS = [
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '01ARZ3NDEKTSV4RRFFQ69G5FAW',
  '7ZZZZZZZZZZZZZZZZZZZZZZZZZ',
  '00000000000000000000000000',
]
const NO_ULIDS = [
  '01arz3ndektsv4rrffq69g5fav',
  '8ZZZZZZZZZZZZZZZZZZZZZZZZZ',
  '01ARZ3NDEKTSV4RRFFQ69G5FA',
  '01ARZ3NDEKTSV4RRFFQ69G5FAU ',
  '01ARZ3NDEKTSV4RRFFQ69G5FAI',
  '',
]
const UUIDS = [
  '018f4e9c-0000-7000-8000-000000000000',
  '018f4e9c-0000-7000-8000-000000000001',
  'ffffffff-ffff-7fff-bfff-ffffffffffff',
]
const NO_UUIDS = ['018f4e9c-0000-4000-8000-000000000000', '00000000-0000-0000-0000-000000000000']
const MOMENTS = [
  '0001-01-01 00:00:00',
  '1969-12-31 23:59:59.999999',
  '2026-03-01 10:00:00',
  '2026-03-01 10:00:00.000001',
  '2030-01-01 00:00:00',
  '9999-12-31 23:59:59.999999',
]
const NO_MOMENTS = [
  'infinity',
  '-infinity',
  '0044-03-15 12:00:00 BC',
  '0001-12-31 23:59:59.999999 BC',
  '4714-11-24 00:00:00 BC',
]

const KINDS: Record<string, Ordered> = {
  timestamptz: { type: 'timestamptz', placed: MOMENTS, odd: NO_MOMENTS },
  timestamp: { type: 'timestamp', declared: { zone: 'UTC' }, placed: MOMENTS, odd: NO_MOMENTS },
  date: {
    type: 'date',
    declared: { zone: 'UTC' },
    placed: ['0001-01-01', '1970-01-01', '2026-03-01', '5874897-12-31'],
    odd: ['infinity', '-infinity', '0001-12-31 BC', '4714-11-24 BC'],
  },
  epoch: {
    type: 'bigint',
    declared: { flavour: 'epoch', unit: 'ms' },
    placed: ['0', '-1', '1764339729000', '1764339729001', '9223372036854775807', '-9223372036854775808'],
    odd: [],
  },
  sequence: {
    type: 'integer',
    declared: { flavour: 'sequence' },
    placed: ['1', '2', '-2147483648', '2147483647'],
    odd: [],
  },
  'numeric sequence': {
    type: 'numeric(20,0)',
    declared: { flavour: 'sequence' },
    placed: ['1', '2', '18446744073709551615', '-99999999999999999999'],
    odd: [],
  },
  'text iso': { type: 'text collate "C"', declared: { encoding: 'iso' }, placed: ISO, odd: NO_ISO },
  'text ulid': { type: 'text collate "C"', declared: { encoding: 'ulid' }, placed: ULIDS, odd: NO_ULIDS },
  'text uuidv7': {
    type: 'text collate "C"',
    declared: { encoding: 'uuidv7' },
    placed: UUIDS,
    odd: [...NO_UUIDS, UUIDS[0]!.toUpperCase(), ''],
  },
  uuid: { type: 'uuid', declared: { encoding: 'uuidv7' }, placed: UUIDS, odd: NO_UUIDS },
  xid8: { type: 'xid8', placed: ['3', '4', '18446744073709551615'], odd: [] },
}

const TARGETS = ['duckdb', 'postgres'] as const
const SQLITE_KINDS: Record<string, Ordered> = {
  epoch: { ...KINDS.epoch!, type: 'integer' },
  'text iso': { ...KINDS['text iso']!, type: 'text' },
  'text ulid': { ...KINDS['text ulid']!, type: 'text' },
  'text uuidv7': { ...KINDS['text uuidv7']!, type: 'text' },
}

// Each server meets each kind of target once, in turn: making databases is what takes long.
const turns = Object.keys(KINDS).flatMap((kind, i) =>
  postgresServers().map((server, n) => {
    const target = TARGETS[(i + n) % TARGETS.length]!
    return { kind, target, server, name: `PostgreSQL ${server.major} to ${target}, by ${kind}` }
  }),
)

test.each(turns)('$name, both sides part the table alike (A8, E43)', async ({ kind, target, server }) => {
  const { type, placed, odd, declared } = KINDS[kind]!
  const sourceUrl = await freshDatabase(server, `scopes ${kind}`)
  const session = await openSession(sourceUrl)
  await session(`create table t (id int primary key, p ${type}); create index on t (p)`)
  await session(`insert into t values ${rowsOf(placed, odd)}`)
  const destinationUrl = target === 'postgres' ? await freshDatabase(server, `scopes ${kind} to`) : undefined
  const ref = { schema: 'public', name: 't' }
  await compareScopes(
    sourceUrl,
    destinationUrl,
    ref,
    { column: 'p', ...declared },
    placed.length,
    odd.length + 1,
  )
})

describe('SQLite', () => {
  test.each(Object.keys(SQLITE_KINDS).flatMap((kind) => TARGETS.map((target) => [kind, target] as const)))(
    'by %s, both sides part the table alike: to %s (A8, E43)',
    async (name, target) => {
      const { type, placed, odd, declared } = SQLITE_KINDS[name]!
      const { url, db } = freshSqliteFile(
        `create table t (id integer primary key, p ${type}); create index i on t (p); insert into t values ${rowsOf(placed, odd)}`,
      )
      db.close()
      const destinationUrl =
        target === 'postgres' ? await freshDatabase(postgresServers()[0]!, `scopes ${name} to`) : undefined
      await compareScopes(
        url,
        destinationUrl,
        { schema: 'main', name: 't' },
        { column: 'p', ...declared },
        placed.length,
        odd.length + 1,
      )
    },
  )
})

const rowsOf = (placed: readonly string[], odd: readonly string[]): string =>
  [...placed.map(quoteLiteral), 'NULL', ...odd.map(quoteLiteral)]
    .map((value, i) => `(${i + 1}, ${value})`)
    .join(', ')

async function compareScopes(
  sourceUrl: string,
  destinationUrl: string | undefined,
  ref: { schema: string; name: string },
  declared: OrderDeclaration,
  placedCount: number,
  oddCount: number,
): Promise<void> {
  const folder = await tempFolder()
  const { source, destination, close } = await openEngine({
    sourceUrl,
    destinationUrl: destinationUrl ?? `duckdb://${folder}/out.duckdb`,
    stateDir: `${folder}/state`,
  })
  try {
    const shape = await source.describe(ref, declared)
    const order = orderIn(shape, declared.column)
    const target = { schema: destinationUrl ? 'public' : 'main', name: 't' }
    const table: TargetTable = {
      stream: 't',
      target,
      columns: shape.columns,
      key: ['id'],
      order,
      mode: 'upsert',
      nullKeys: 'refuse',
      appendOnly: false,
      asText: [],
    }
    const count = placedCount + oddCount
    await copyAll(source, destination, table, shape, count)
    const plan = makeComparisonPlan({
      shape,
      key: ['id'],
      order,
      asText: [],
      destinationEngine: (await destination.identity()).engine,
      digestHex: (text) => createHash('sha256').update(text).digest('hex'),
    })
    const limits = { queryMaxMs: 60_000, lockTimeoutMs: 5_000 }
    const there = (await destination.openLook({ table, plan, ...limits })).look
    const here = await source.openLook({
      shape,
      plan,
      order,
      asText: [],
      after: undefined,
      replicaWaitMs: 1_000,
      ...limits,
    })
    try {
      const all = await keysIn(here, { rows: 'all' })
      expect(all.size).toBe(count)
      expect(await keysIn(there, { rows: 'all' })).toEqual(all)
      const places = new Map([...all].map(([key, text]) => [key, positionFromCanonical(order, text)]))
      const placed = [...places].filter(([, place]) => place !== undefined) as [string, Position][]
      expect(placed.map(([key]) => Number(key)).sort((a, b) => a - b)).toEqual(
        Array.from({ length: placedCount }, (_, i) => i + 1),
      )
      const expectScope = async (scope: LookScope, keys: readonly string[]) => {
        for (const [side, look] of [
          ['source', here],
          ['destination', there],
        ] as const) {
          const found = [...(await keysIn(look, scope)).keys()]
          expect([side, scope, found.sort()]).toEqual([side, scope, [...keys].sort()])
        }
      }
      await expectScope(
        { rows: 'unordered' },
        [...all.keys()].filter((key) => places.get(key) === undefined),
      )
      const bounds = placed.map(([, place]) => place).sort(comparePositions)
      const ranges = bounds.flatMap((bound, i) => {
        const upper = bounds[i + 1] ?? bound
        return [{ lower: bound }, { upper: bound }, { lower: bound, upper }]
      })
      for (const { lower, upper } of [{}, ...ranges] as { lower?: Position; upper?: Position }[]) {
        const inside = placed.filter(
          ([, place]) =>
            (!lower || comparePositions(place, lower) >= 0) && (!upper || comparePositions(place, upper) < 0),
        )
        const keys = inside.map(([key]) => key)
        await expectScope({ rows: 'ordered', ...(lower && { lower }), ...(upper && { upper }) }, keys)
      }
    } finally {
      await here.close()
      await there.close()
    }
  } finally {
    await close()
  }
}

/** Lands every row, whatever lane it is in, by its key. */
async function copyAll(
  source: Source,
  destination: Destination,
  table: TargetTable,
  shape: Awaited<ReturnType<Source['describe']>>,
  count: number,
): Promise<void> {
  const reader = await source.openReader(readerRequest(shape, table.order))
  const keys = Array.from({ length: count }, (_, i) => [`${i + 1}`])
  const claimBefore = firstClaim(table.stream)
  await destination.prepare(table, undefined)
  await destination.writeClaim(claimBefore, undefined)
  const receipt = await destination.land({
    table,
    rows: reader.read({ kind: 'keys', keys }),
    purpose: 'repair',
    range: undefined,
    batchId: 'all',
    readSeq: 1,
    epoch: 1,
    claimBefore,
    claimAfter: { ...claimBefore, readSeq: 1, batch: 'all' },
    known: 'anything',
    classBelow: undefined,
  })
  await reader.close()
  expect(receipt.inserted).toBe(count)
}

/** The positions' texts of all rows in a scope, by key. */
async function keysIn(look: Look, scope: LookScope): Promise<Map<string, string>> {
  const keys = new Map<string, string>()
  for await (const batch of look.rows(scope, 'position'))
    for (const { keyText, position } of batch) keys.set(keyText, position)
  return new Map([...keys].sort(([a], [b]) => Number(a) - Number(b)))
}
