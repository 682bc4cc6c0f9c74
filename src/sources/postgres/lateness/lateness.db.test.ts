import { beforeAll, describe, expect, test } from 'vitest'
import type { PostgresServer } from '../../../../scripts/servers/postgres.ts'
import { openSession, openSource, orderIn, tz } from '../../../../test/support/postgres-source.ts'
import { freshDatabase, ownServer, postgresServers } from '../../../../test/support/servers.ts'
import type { CommitTimesRequest, LoadFactsRequest, OrderDeclaration, Source } from '../../source.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await ownServer({ track_commit_timestamp: 'on', max_prepared_transactions: 5 })
})

const EVER = { committedAfterUs: 0n, committedUntilUs: 10n ** 18n, share: 1, rowLimit: 100_000 }

async function ask(source: Source, declared: OrderDeclaration, rest: Partial<CommitTimesRequest> = {}) {
  const shape = await source.describe({ schema: 'public', name: 't' }, declared)
  return source.commitTimes!({
    shape,
    order: orderIn(shape, declared.column),
    range: { lower: undefined, upper: tz(10n ** 17n) },
    ...EVER,
    queryMaxMs: 10_000,
    lockTimeoutMs: 1_000,
    ...rest,
  })
}

const seconds = (rows: readonly { readonly latenessUs: bigint }[] | undefined): number[] =>
  (rows ?? []).map(({ latenessUs }) => Math.round(Number(latenessUs) / 1e6)).sort((a, b) => a - b)

describe('commit times (A35)', () => {
  test('say how long after its stamp each row was committed, negative ones too', async () => {
    const url = await freshDatabase(server, 'commit times')
    const sql = await openSession(url)
    await sql(`CREATE TABLE t (id int PRIMARY KEY, at timestamptz, n bigint); CREATE INDEX ON t (at);
      INSERT INTO t SELECT g, now() - g * interval '1 minute', g FROM generate_series(-1, 3) g`)
    const source = openSource(url)
    const rows = await ask(source, { column: 'at' })
    expect(seconds(rows)).toEqual([-60, 0, 60, 120, 180])
    expect(rows![0]!.position.kind).toBe('timestamptz')
  })

  test('only of rows in the range and in the time asked for, at most so many', async () => {
    const url = await freshDatabase(server, 'commit bounds')
    const sql = await openSession(url)
    await sql(`CREATE TABLE t (id int PRIMARY KEY, at timestamptz); CREATE INDEX ON t (at);
      INSERT INTO t SELECT g, '2026-01-01Z'::timestamptz + g * interval '1 second' FROM generate_series(1, 1000) g`)
    const [[between] = []] = await sql('SELECT (extract(epoch FROM clock_timestamp()) * 1e6)::bigint')
    await sql(`INSERT INTO t SELECT g, '2026-01-01Z'::timestamptz FROM generate_series(2001, 2010) g`)
    const source = openSource(url)
    const start = 1_767_225_600_000_000n
    const range = { lower: tz(start), upper: tz(start + 11_000_000n) }
    expect(await ask(source, { column: 'at' }, { range })).toHaveLength(20)
    const since = { range, committedAfterUs: BigInt(between!) }
    expect(await ask(source, { column: 'at' }, since)).toHaveLength(10)
    expect(await ask(source, { column: 'at' }, { range, committedUntilUs: BigInt(between!) })).toHaveLength(
      10,
    )
    expect(await ask(source, { column: 'at' }, { rowLimit: 7 })).toHaveLength(7)
    const some = (await ask(source, { column: 'at' }, { share: 0.25 }))!.length
    expect(some).toBeGreaterThan(180)
    expect(some).toBeLessThan(330)
  })

  test('wall times are compared in their zone, epochs and identifiers as moments', async () => {
    const url = await freshDatabase(server, 'commit kinds')
    const sql = await openSession(url)
    await sql(`CREATE TABLE t (id int PRIMARY KEY, wall timestamp, ms bigint, d date, n bigint);
      INSERT INTO t SELECT g, (now() - interval '10 seconds') AT TIME ZONE 'Asia/Tokyo',
        (extract(epoch FROM now() - interval '10 seconds') * 1000)::bigint, current_date, g FROM generate_series(1, 2) g`)
    const source = openSource(url)
    const all = { range: { lower: undefined, upper: { kind: 'timestamp', value: 10n ** 17n } } } as const
    expect(seconds(await ask(source, { column: 'wall', zone: 'Asia/Tokyo' }, all))).toEqual([10, 10])
    const number = { range: { lower: undefined, upper: { kind: 'integer', value: 10n ** 17n } } } as const
    const epoch = { column: 'ms', flavour: 'epoch', unit: 'ms' } as const
    expect(seconds(await ask(source, epoch, number))).toEqual([10, 10])
    const counter = { column: 'n', flavour: 'sequence' } as const
    expect(await ask(source, counter, number)).toBeUndefined()
    const day = { range: { lower: undefined, upper: { kind: 'date', value: 0n } } } as const
    expect(await ask(source, { column: 'd', zone: 'UTC' }, day)).toBeUndefined()
  })

  test('a server that keeps none says so, and the session goes on', async () => {
    const url = await freshDatabase(postgresServers()[0]!, 'no commit times')
    const sql = await openSession(url)
    await sql('CREATE TABLE t (id int PRIMARY KEY, at timestamptz); INSERT INTO t VALUES (1, now())')
    const source = openSource(url)
    expect(await ask(source, { column: 'at' })).toBeUndefined()
    expect(await ask(source, { column: 'at' })).toBeUndefined()
  })
})

describe('open transactions (A19, A36)', () => {
  test('are listed with start, id once they have written, and who; prepared ones too; our own reader is not', async () => {
    const url = await freshDatabase(server, 'open transactions')
    const sql = await openSession(url)
    await sql('CREATE TABLE t (id int PRIMARY KEY, at timestamptz)')
    const source = openSource(url)
    const idle = await openSession(url)
    const writer = await openSession(url)
    await writer(`SET application_name = 'importer'; BEGIN; INSERT INTO t VALUES (1, now())`)
    await idle('BEGIN; SELECT 1')
    const two = await openSession(url)
    await two(
      `BEGIN; INSERT INTO t VALUES (2, now()); PREPARE TRANSACTION 'p${Math.floor(performance.now())}'`,
    )
    const { takenUs, complete, transactions } = await source.openTransactions!()
    expect(complete).toBe(true)
    expect(transactions).toHaveLength(3)
    const importer = transactions.find(({ application }) => application === 'importer')!
    expect(importer).toMatchObject({ prepared: false, transaction: expect.stringMatching(/^\d+$/) })
    const [[xid] = []] = await writer('SELECT pg_current_xact_id()::xid::text')
    expect(importer.transaction).toBe(xid)
    expect(Number(BigInt(takenUs) - BigInt(importer.startUs)) / 1e6).toBeLessThan(30)
    expect(transactions.filter(({ transaction }) => transaction === undefined)).toHaveLength(1)
    const [prepared] = transactions.filter((each) => each.prepared)
    expect(prepared!.session).toMatch(/^prepared\/p\d+$/)
    await two(`ROLLBACK PREPARED '${prepared!.session.slice('prepared/'.length)}'`)
    await writer('ROLLBACK')
    await idle('ROLLBACK')
    expect((await source.openTransactions!()).transactions).toEqual([])
  })

  test('sessions that hide what they do leave the list incomplete', async () => {
    const url = await freshDatabase(server, 'open hidden')
    const sql = await openSession(url)
    await sql('CREATE ROLE looks_only LOGIN')
    const asRole = new URL(url)
    asRole.username = 'looks_only'
    const open = await openSession(url)
    await open('BEGIN; SELECT 1')
    const { complete } = await openSource(asRole.href).openTransactions!()
    expect(complete).toBe(false)
  })
})

describe('load facts (A46)', () => {
  const facts = async (source: Source, declared: OrderDeclaration, rest: Partial<LoadFactsRequest> = {}) => {
    const shape = await source.describe({ schema: 'public', name: 't' }, declared)
    return source.loadFacts!({
      shape,
      order: orderIn(shape, declared.column),
      since: tz(0n),
      until: tz(10n ** 17n),
      censusRows: 1_000,
      queryMaxMs: 10_000,
      lockTimeoutMs: 1_000,
      ...rest,
    })
  }

  test('busiest minute, ties, row sizes, oldest row, connections', async () => {
    const url = await freshDatabase(server, 'load facts')
    const sql = await openSession(url)
    await sql(`CREATE TABLE t (id int PRIMARY KEY, at timestamptz, body text); CREATE INDEX ON t (at);
      INSERT INTO t SELECT g, '2026-01-01Z'::timestamptz + g * interval '10 seconds', 'x' FROM generate_series(1, 60) g;
      INSERT INTO t SELECT 100 + g, '2026-01-01 00:05:30Z'::timestamptz, repeat('y', 500) FROM generate_series(1, 40) g;
      INSERT INTO t VALUES (999, 'infinity', 'never')`)
    const found = await facts(openSource(url), { column: 'at' })
    expect(found.busiestMinute).toEqual({ startUs: '1767225900000000', rowCount: 46 })
    expect(found.rowCount).toBe(100)
    expect(found.ties).toEqual({ rowCount: 100, squareSum: 59 + 41 * 41, largest: 41 })
    expect(found.rowBytesP99).toBeGreaterThan(500)
    expect(found.oldest).toEqual(tz(1_767_225_610_000_000n))
    expect(found.connections!.allowed).toBeGreaterThan(found.connections!.used)
    expect(found.connections!.used).toBeGreaterThan(0)
    const last = await facts(openSource(url), { column: 'at' }, { censusRows: 10 })
    expect(last.ties?.rowCount).toBe(10)
  })

  test('epochs have minutes, counters have none; a count that takes too long is left out', async () => {
    const url = await freshDatabase(server, 'load kinds')
    const sql = await openSession(url)
    await sql(`CREATE TABLE t (id bigint PRIMARY KEY, ms bigint); CREATE INDEX ON t (ms);
      INSERT INTO t SELECT g, 1767225600000 + g * 1000 FROM generate_series(0, 89) g`)
    const source = openSource(url)
    const all = {
      since: { kind: 'integer', value: 0n },
      until: { kind: 'integer', value: 10n ** 18n },
    } as const
    const epoch = await facts(source, { column: 'ms', flavour: 'epoch', unit: 'ms' }, all)
    expect(epoch.busiestMinute).toEqual({ startUs: '1767225600000000', rowCount: 60 })
    const counter = await facts(source, { column: 'id', flavour: 'sequence' }, all)
    expect(counter).toMatchObject({ busiestMinute: undefined, oldest: { kind: 'integer', value: 0n } })
    await sql(`INSERT INTO t SELECT g, g FROM generate_series(100, 400000) g`)
    const hasty = await facts(
      source,
      { column: 'ms', flavour: 'epoch', unit: 'ms' },
      { ...all, queryMaxMs: 1, censusRows: 400_000 },
    )
    expect(hasty.ties).toBeUndefined()
    expect((await facts(source, { column: 'ms', flavour: 'epoch', unit: 'ms' }, all)).ties).toBeDefined()
  })
})
