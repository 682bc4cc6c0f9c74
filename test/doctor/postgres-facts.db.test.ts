import { beforeAll, describe, expect, test } from 'vitest'
import type { PostgresServer } from '../../scripts/servers/postgres.ts'
import type { StreamSettings } from '../../src/extract/index.ts'
import { streamSettings } from '../support/engine.ts'
import { openSession } from '../support/postgres-source.ts'
import { freshDatabase, ownServer, postgresServers } from '../support/servers.ts'
import { lookAt, said } from './scene.ts'

const ORDERS = `CREATE TABLE orders (id bigint PRIMARY KEY, updated_at timestamptz NOT NULL DEFAULT now(), note text);`
const DECLARED = streamSettings('public.orders', { position: { column: 'updated_at' } })

async function database(name: string, statements: string) {
  const url = await freshDatabase(postgresServers()[0]!, name)
  const sql = await openSession(url)
  await sql(statements)
  return { url, sql }
}

const limited = (parts: Partial<StreamSettings['limits']>): StreamSettings => ({
  ...DECLARED,
  limits: { ...DECLARED.limits, ...parts },
})

describe('index, key, plan (A43)', () => {
  test('without an index: a note while the table is small, a blocker above the limit, cured by the remedy', async () => {
    const { url, sql } = await database(
      'index',
      `${ORDERS} INSERT INTO orders SELECT g FROM generate_series(1, 2000) g; ANALYZE orders`,
    )
    expect(said((await lookAt(url, DECLARED)).of('index'))).toBe(
      'note: No valid, complete index of public.orders begins with updated_at: each run reads about 2,000 rows.',
    )
    const few = limited({ fullScanMaxRows: 1000 })
    const { of } = await lookAt(url, few)
    expect(of('index').severity).toBe('blocker')
    expect(said(of('plan'))).toBe(
      'blocker: public.orders has no index that begins with updated_at, so each run would read about 2000 rows.',
    )
    expect(of('plan').remedy).toBe(of('index').remedy)
    await sql(`CREATE INDEX ON orders (updated_at) WHERE note IS NULL`)
    expect((await lookAt(url, few)).of('index').severity).toBe('blocker')
    await sql(of('index').remedy!)
    const cured = await lookAt(url, few)
    expect(said(cured.of('index'))).toBe('ok: An index of public.orders begins with updated_at.')
    expect(cured.of('plan').severity).toBe('ok')
  })

  test('keys: none, declared but not enforced, over columns that may be NULL', async () => {
    const { url, sql } = await database('keys', 'CREATE TABLE orders (id bigint, updated_at timestamptz)')
    expect(said((await lookAt(url, DECLARED)).of('key'))).toBe(
      'blocker: public.orders has no key: no unique, complete index stands over columns without NULL.',
    )
    const named = { ...DECLARED, key: ['id'] }
    const { of } = await lookAt(url, named)
    expect(said(of('key'))).toBe(
      'warning: Nothing in the database keeps the declared key of public.orders (id) unique.',
    )
    expect(said((await lookAt(url, { ...DECLARED, appendOnly: true })).of('key'))).toMatch(
      /^ok: .*append-only/,
    )
    await sql(of('key').remedy!)
    await sql('ALTER TABLE orders ALTER id SET NOT NULL')
    expect(said((await lookAt(url, named)).of('key'))).toBe(
      'ok: The key of public.orders (id) is unique and holds no NULL.',
    )
  })
})

describe('rights (A44)', () => {
  test('a role with few rights: what is missing names the exact GRANT, and giving it cures', async () => {
    const { url, sql } = await database(
      'rights',
      `CREATE SCHEMA "sa'les"; CREATE TABLE "sa'les"."or ""ders" (id bigint PRIMARY KEY, updated_at timestamptz);
      DROP ROLE IF EXISTS "doctor's poor"; CREATE ROLE "doctor's poor" LOGIN`,
    )
    const poor = new URL(url)
    poor.username = encodeURIComponent("doctor's poor")
    const named = { ...DECLARED, table: { schema: "sa'les", name: 'or "ders' } }
    const { of, ofSource, all } = await lookAt(poor.href, named)
    expect(all.tables[0]!.table).toBe('sa\'les."or ""ders"')
    expect(said(of('rights'))).toBe('blocker: This role may not read sa\'les."or ""ders".')
    expect(of('rights').remedy).toBe(
      `GRANT USAGE ON SCHEMA "sa'les" TO "doctor's poor"; GRANT SELECT ON TABLE "sa'les"."or ""ders" TO "doctor's poor";`,
    )
    expect(said(ofSource('rights'))).toMatch(
      /^note: The role doctor's poor may not see when the sessions of others began \(\d+ hidden now\): the fence is taken from locks \(P2\), some seconds later\.$/,
    )
    await sql(`${of('rights').remedy} ${ofSource('rights').remedy}`)
    const after = await lookAt(poor.href, { ...named, fence: { ...named.fence, method: 'P1' } })
    expect([after.of('rights').severity, after.ofSource('rights').severity]).toEqual(['ok', 'ok'])
    expect(after.all.tables[0]!.checks.filter(({ severity }) => severity === 'could_not_look')).toEqual([])
    await sql(`REVOKE pg_read_all_stats FROM "doctor's poor"`)
    const demanded = await lookAt(poor.href, { ...named, fence: { ...named.fence, method: 'P1' } })
    expect(demanded.ofSource('rights').severity).toBe('blocker')
    await sql(`DROP OWNED BY "doctor's poor"; DROP ROLE "doctor's poor"`)
  })

  test('sessions that track nothing blind even a superuser', async () => {
    const { url, sql } = await database(
      'untracked',
      `${ORDERS} DROP ROLE IF EXISTS doctor_blind; CREATE ROLE doctor_blind LOGIN SUPERUSER;
      ALTER ROLE doctor_blind SET track_activities = off`,
    )
    const blind = new URL(url)
    blind.username = 'doctor_blind'
    const session = await openSession(blind.href)
    await session('SELECT 1')
    const { ofSource } = await lookAt(url, DECLARED)
    expect(said(ofSource('rights'))).toBe(
      'note: 1 session of doctor_blind shows nothing (track_activities is off): the fence is taken from locks (P2), some seconds later.',
    )
    expect(ofSource('rights').remedy).toBe('ALTER ROLE "doctor_blind" RESET track_activities;')
    await sql('ALTER ROLE doctor_blind NOLOGIN')
  })
})

test('clock (A44): far from ours is a note, for ours decides nothing', async () => {
  const { url } = await database('clock', ORDERS)
  expect(said((await lookAt(url, DECLARED)).ofSource('clock'))).toMatch(
    /^ok: The clock of the source is -?[\d.]+ ms from ours, give or take [\d.]+ ms\.$/,
  )
  const ahead = { nowMs: () => performance.timeOrigin + performance.now() - 90_000, sleep: async () => {} }
  expect(said((await lookAt(url, DECLARED, { clock: ahead })).ofSource('clock'))).toMatch(
    /^note: The clock of the source is 1 min (29|30) s from ours, give or take [\d.]+ ms; ours decides nothing\.$/,
  )
})

test('retention (A45): what ends the reach of a table, and whether that is too soon', async () => {
  const { url, sql } = await database(
    'retention',
    `${ORDERS} INSERT INTO orders VALUES (1, now() - interval '9 days')`,
  )
  expect(said((await lookAt(url, DECLARED)).of('retention'))).toMatch(
    /^ok: public\.orders reaches back to 20[\d-]+ [\d:.]+Z \(9 d\); nothing ends that: the newest version of each row can be brought again\.$/,
  )
  await sql(`DROP TABLE orders; CREATE TABLE orders (id bigint, updated_at timestamptz, PRIMARY KEY (id, updated_at)) PARTITION BY RANGE (updated_at);
    CREATE TABLE p PARTITION OF orders DEFAULT; INSERT INTO orders VALUES (1, now() - interval '9 days')`)
  const { of } = await lookAt(url, DECLARED)
  expect(said(of('retention'))).toMatch(
    /^warning: .* \(9 d\), ended by whoever drops old partitions: a loss found later than that is beyond repair, and all is audited within 21 d only\.$/,
  )
})

describe('replica (L9, A44)', () => {
  let primary: PostgresServer
  let standby: PostgresServer
  beforeAll(async () => {
    primary = await ownServer({ track_commit_timestamp: 'on' })
    const sql = await openSessionUnbound(primary.url)
    await sql(`${ORDERS} INSERT INTO orders VALUES (1)`)
    standby = await primary.createReplica()
    return () => standby.dispose()
  }, 120_000)

  test('a standby without its primary stops a pipeline that wants a proof, and is a note otherwise', async () => {
    const { of, ofSource, all } = await lookAt(standby.url, DECLARED)
    expect(said(ofSource('L9'))).toMatch(
      /^blocker: Rows come from a replica \d+ bytes behind; without a link to its primary no fence can be proven\.$/,
    )
    expect(all.tables[0]!.checks.filter(({ severity }) => severity === 'could_not_look')).toEqual([])
    expect(of('L1').sentence).toContain('(p99 not enough: 1 of 299, 1 row)')
    const settled = { ...DECLARED, fence: { ...DECLARED.fence, method: 'settle' as const } }
    expect((await lookAt(standby.url, settled)).ofSource('L9').severity).toBe('note')
    expect((await lookAt(standby.url, DECLARED, { isConfigured: false })).ofSource('L9').severity).toBe(
      'note',
    )
  })

  test('linked, it is measured against its primary; one that falls behind warns', async () => {
    const { ofSource } = await lookAt(primary.url, DECLARED, { replicaUrl: standby.url })
    expect(ofSource('L9')).toMatchObject({ severity: 'note' })
    expect(said(ofSource('replica'))).toMatch(
      /^note: The replica is \d+ bytes behind and cancels reads that hold up its replay for 30 s \(0 so far\); a query of ours may take 2 min\.$/,
    )
    const paused = await openSession(standby.url)
    await paused('SELECT pg_wal_replay_pause()')
    const writer = await openSession(primary.url)
    const clock = {
      nowMs: () => performance.timeOrigin + performance.now(),
      sleep: async () => void (await writer('INSERT INTO orders SELECT g FROM generate_series(100, 999) g')),
    }
    const behind = (await lookAt(primary.url, DECLARED, { replicaUrl: standby.url, clock })).ofSource(
      'replica',
    )
    expect(said(behind)).toMatch(
      /^warning: The replica is [\d,]+ bytes behind and fell [\d,]+ bytes further in 10 s\.$/,
    )
    await paused('SELECT pg_wal_replay_resume()')
  })

  test('rows from a primary', async () => {
    expect(said((await lookAt(primary.url, DECLARED)).ofSource('L9'))).toBe(
      'ok: Rows come from the primary itself.',
    )
  })
})

/** For `beforeAll`, where no test ends that could close it. */
async function openSessionUnbound(url: string): Promise<(sql: string) => Promise<void>> {
  const { default: pg } = await import('pg')
  return async (text) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(text)
    await client.end()
  }
}
