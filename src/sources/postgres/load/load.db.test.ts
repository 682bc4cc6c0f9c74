import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PostgresServer } from '../../../../scripts/servers/postgres.ts'
import { openSession } from '../../../../test/support/postgres-source.ts'
import { freshDatabase, ownServer } from '../../../../test/support/servers.ts'
import type { LoadGenerator, LoadReader, LoadStage, LoadTransaction } from '../../load.ts'
import { openLoadGenerator } from './generator.ts'

const stage: LoadStage = {
  table: { schema: 'plimsoll_load', name: 'r_1' },
  rows: 100,
  payloadBytes: 70,
  grainUs: 1_000_000,
}

const planned = (parts: Partial<LoadTransaction>): LoadTransaction => ({
  actor: 0,
  n: 0,
  atMs: 0,
  kind: 'ordinary',
  ops: [{ op: 'update', keys: [1, 2] }],
  stampOf: 'begin',
  holdMs: 0,
  end: 'commit',
  preparedMs: 0,
  ...parts,
})

let replica: PostgresServer
let url: string
let load: LoadGenerator
let reader: LoadReader

beforeAll(async () => {
  const primary = await ownServer({})
  replica = await primary.createReplica()
  url = await freshDatabase(primary, 'load')
  load = await openLoadGenerator(url)
  await load.setUp(stage)
  reader = await load.openReader(stage)
})
afterAll(async () => {
  await reader?.close()
  await load?.close()
  await replica?.dispose()
})

const versionOf = async (key: string) => (await reader.read({})).find((row) => row.key === key)?.version

describe('a writer carries out what is planned', () => {
  test.each([
    ['commit', 'committed', '1.1.0.0'],
    ['rollback', 'rolled_back', '1.1.0.0'],
    ['prepare', 'committed', '1.3.0.0'],
  ] as const)('%s', async (end, outcome, version) => {
    const writer = await load.openWriter(stage)
    const n = { commit: 1, rollback: 2, prepare: 3 }[end]
    const done = await writer.transact(planned({ n, end, holdMs: 5, preparedMs: 5 }))
    await writer.close()
    expect(done).toMatchObject({ outcome })
    expect(BigInt(done.endedUs)).toBeGreaterThan(BigInt(done.beganUs))
    expect(done.writes).toHaveLength(outcome === 'committed' ? 2 : 0)
    expect(await versionOf('1')).toBe(version)
  })

  test('stamps are floored to the grain; backdated and unbumped ones are as they say', async () => {
    const writer = await load.openWriter(stage)
    const one = async (parts: Partial<LoadTransaction>) => (await writer.transact(planned(parts))).writes[0]!
    const fresh = await one({ n: 10, ops: [{ op: 'insert', keys: [1_000] }] })
    expect(BigInt(fresh.stampUs) % 1_000_000n).toBe(0n)
    const kept = await one({ n: 11, kind: 'unbumped', ops: [{ op: 'update', keys: [1_000] }] })
    expect(kept).toMatchObject({ stampUs: fresh.stampUs, version: '1.11.0.0' })
    const back = await one({ n: 12, kind: 'backdated', ops: [{ op: 'update', keys: [1_000], daysBack: 2 }] })
    expect(BigInt(fresh.stampUs) - BigInt(back.stampUs)).toBeGreaterThan(2n * 86_400_000_000n - 5_000_000n)
    const moved = await one({ n: 13, kind: 'key_change', ops: [{ op: 'move', keys: [1_000], toKey: 1_001 }] })
    expect(moved).toMatchObject({ op: 'move', key: '1001' })
    const gone = await one({ n: 14, kind: 'delete', ops: [{ op: 'delete', keys: [1_001] }] })
    expect(gone).toMatchObject({ op: 'delete', key: '1001' })
    expect(await versionOf('1001')).toBeUndefined()
    await writer.close()
  })

  test('who meets a lock gives up, and the load goes on', async () => {
    const [one, two] = [await load.openWriter(stage), await load.openWriter(stage)]
    const long = one.transact(planned({ n: 20, ops: [{ op: 'update', keys: [50] }], holdMs: 2_000 }))
    await new Promise((resolve) => setTimeout(resolve, 200))
    const met = await two.transact(planned({ actor: 1, n: 21, ops: [{ op: 'update', keys: [50] }] }))
    expect(met).toMatchObject({ outcome: 'failed', writes: [] })
    expect((await two.transact(planned({ actor: 1, n: 22 }))).outcome).toBe('committed')
    expect((await long).outcome).toBe('committed')
    await Promise.all([one.close(), two.close()])
  })

  test('an idle session commits at the end of its time', async () => {
    const idle = load.idle(stage, 5_000, '9.0.0.0', 300)
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect(await versionOf('5000')).toBeUndefined()
    expect(await idle).toMatchObject({ outcome: 'committed', writes: [{ key: '5000' }] })
    expect(await versionOf('5000')).toBe('9.0.0.0')
  })
})

test('a reader sees exactly what its condition says, in the order of position and key', async () => {
  const rows = await reader.read({})
  const [low, high] = [rows[10]!, rows[40]!]
  const count = (test: (us: bigint) => boolean) =>
    rows.filter(({ positionUs }) => test(BigInt(positionUs))).length
  const [from, to] = [BigInt(low.positionUs), BigInt(high.positionUs)]
  const read = async (query: Parameters<LoadReader['read']>[0]) => (await reader.read(query)).length
  expect(await read({ above: low.positionUs })).toBe(count((us) => us > from))
  expect(await read({ atLeast: low.positionUs, below: high.positionUs })).toBe(
    count((us) => us >= from && us < to),
  )
  expect(await read({ upTo: high.positionUs })).toBe(count((us) => us <= to))
  expect(await read({ aboveRow: { position: low.positionUs, key: low.key } })).toBe(rows.length - 11)
  expect(await read({ limit: 7 })).toBe(7)
  expect(await reader.newest()).toBe(rows.at(-1)!.positionUs)
})

test('a mark names database, server and timeline, once', async () => {
  expect(await load.marks()).toEqual([])
  await load.mark(3)
  const mark = await load.mark(2)
  const { id, timeline, database } = await load.identity()
  expect(mark).toMatchObject({ database, identity: id, timeline })
  expect(BigInt(mark.expiresUs) - BigInt(mark.markedUs)).toBe(2n * 86_400_000_000n)
  expect(await load.marks()).toHaveLength(1)
  await expect(load.mark(31)).rejects.toThrow()
})

test('the busiest hour is counted by minutes; a column that tells none says so', async () => {
  const sql = await openSession(url)
  await sql(`create table events (id int, at timestamptz); insert into events
    select g, date_trunc('hour', now()) - interval '3 hours' + (case when g <= 90 then 7 else g % 60 end) * interval '1 minute' from generate_series(1, 150) g`)
  const counts = await load.busiestHour({ schema: 'public', name: 'events' }, 'at')
  expect(counts).toHaveLength(60)
  expect(counts![7]).toBe(91)
  expect(counts!.reduce((sum, n) => sum + n, 0)).toBe(150)
  expect(await load.busiestHour({ schema: 'public', name: 'events' }, 'id')).toBeUndefined()
})

test('the replay of a replica stands still, and goes on', async () => {
  const sql = await openSession(replica.url)
  const paused = async () => (await sql('select pg_is_wal_replay_paused()'))[0]![0]
  const pausing = load.pauseReplay(replica.url, 500)
  await expect.poll(paused, { timeout: 400, interval: 20 }).toBe('t')
  await pausing
  expect(await paused()).toBe('f')
})

test('torn down, nothing is left of the table', async () => {
  await load.tearDown(stage)
  await expect(reader.read({})).rejects.toThrow('does not exist')
})
