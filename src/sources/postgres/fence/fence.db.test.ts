import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { clockOf, endSessions, mapMemory, Pull, session } from '../../../../test/support/fences.ts'
import { freshDatabase, postgresServers } from '../../../../test/support/servers.ts'

const EVERY_METHOD = ['P1', 'P2'] as const

describe.each(postgresServers())('fences by time, PostgreSQL $major', (server) => {
  let url: string
  let admin: pg.Client
  let pulls: Pull[]

  beforeEach(async () => {
    pulls = []
    url = await freshDatabase(server, 'fence')
    admin = await session(url)
    await admin.query('CREATE TABLE t (id int PRIMARY KEY, u timestamptz NOT NULL DEFAULT now())')
  })
  afterEach(async () => {
    await Promise.all(pulls.map((pull) => pull.close()))
    await endSessions()
  })

  async function open(...[where = url, options]: Partial<Parameters<typeof Pull.open>>): Promise<Pull> {
    const pull = await Pull.open(where, options)
    pulls.push(pull)
    return pull
  }
  const begin = async (id: number): Promise<pg.Client> => {
    const client = await session(url, { application_name: `writer ${id}` })
    await client.query('BEGIN')
    await client.query(`INSERT INTO t VALUES (${id})`)
    return client
  }
  const everything = (pull: Pull, ...ids: number[]) =>
    expect([...pull.landed].sort()).toEqual(ids.map(String))
  const insert = (id: number) => admin.query(`INSERT INTO t VALUES (${id})`)

  describe.each(EVERY_METHOD)('%s', (method) => {
    test('LATE-1: an open writer holds the fence below its stamp; both rows land, none late', async () => {
      const pull = await open()
      await pull.run({ method })
      const before = await clockOf(admin)
      const a = await begin(1)
      await insert(2)
      await sleep(80)
      const fence = await pull.run({ method, fenceWaitMs: 200 })
      expect(fence).toMatchObject({ method, proof: 'proven', clockStepUs: '0' })
      expect(fence.witnesses[0]).toMatchObject({
        pid: Number((a as unknown as { processID: number }).processID),
      })
      expect(fence.heldBecause).toMatch(/^pid \d+ \(user postgres, application writer 1/)
      expect(fence.value!.value as bigint).toBeLessThanOrEqual(before + 50_000n)
      everything(pull)
      await a.query('COMMIT')
      await pull.runOut({ method })
      everything(pull, 1, 2)
      expect(pull.fence!.heldBecause).toBeUndefined()
    })

    test('LATE-2: stamps of clock_timestamp() are above the start that is waited for', async () => {
      await admin.query(`
        CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.u := clock_timestamp(); RETURN NEW; END';
        CREATE TRIGGER touch BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION touch()`)
      const pull = await open()
      await pull.run({ method })
      const [a, b] = [await session(url), await session(url)]
      const begun = await clockOf(admin)
      await a.query('BEGIN')
      await sleep(30)
      await b.query('BEGIN')
      await a.query('INSERT INTO t VALUES (1)')
      await b.query('INSERT INTO t VALUES (2)')
      await b.query('COMMIT')
      const fence = await pull.run({ method, fenceWaitMs: 200 })
      expect(fence.value!.value as bigint).toBeLessThanOrEqual(begun + 20_000n)
      await a.query('COMMIT')
      await pull.runOut({ method })
      everything(pull, 1, 2)
    })

    test.each(['COMMIT', 'ROLLBACK'])('LATE-8: stamp, PREPARE, run, %s PREPARED, run', async (end) => {
      const memory = mapMemory()
      const pull = await open(url, { memory })
      await pull.run({ method })
      const stamped = await clockOf(admin)
      const a = await begin(1)
      await insert(2)
      await a.query("PREPARE TRANSACTION 'x'")
      await sleep(50)
      await insert(3)
      const fence = await pull.run({ method, fenceWaitMs: 200 })
      expect(fence.value!.value as bigint).toBeLessThanOrEqual(stamped)
      expect(fence.prepared).toHaveLength(1)
      expect(fence.heldBecause).toContain("prepared transaction 'x'")
      const next = await open(url, { memory })
      expect((await next.run({ method, fenceWaitMs: 100 })).value!.value as bigint).toBeLessThanOrEqual(
        stamped,
      )
      everything(pull)
      await admin.query(`${end} PREPARED 'x'`)
      await pull.runOut({ method })
      everything(pull, ...(end === 'COMMIT' ? [1, 2, 3] : [2, 3]))
    })

    test('E26, E27: without an earlier look a prepared transaction holds the fence until it is gone', async () => {
      const a = await begin(1)
      await a.query("PREPARE TRANSACTION 'old'")
      const pull = await open()
      const fence = await pull.run({ method, fenceWaitMs: 200 })
      expect(fence.value).toBeUndefined()
      expect(fence.heldBecause).toMatch(/'old'.*before the first look/)
      expect(fence.sampleCount).toBeGreaterThan(1)
      await admin.query("COMMIT PREPARED 'old'")
      await pull.runOut({ method })
      everything(pull, 1)
    })

    test('E26: under steady short two-phase commits the fence keeps moving', async () => {
      let stop = false
      const writer = await session(url)
      const work = (async () => {
        for (let i = 1; !stop; i++) {
          await writer.query('BEGIN')
          await writer.query(`INSERT INTO t VALUES (${i})`)
          await writer.query(`PREPARE TRANSACTION 'g${i}'`)
          await sleep(15)
          await writer.query(`COMMIT PREPARED 'g${i}'`)
        }
      })()
      const pull = await open()
      for (let i = 0; i < 10; i++) {
        await pull.run({ method })
        const { t0, value } = pull.fence!
        if (i > 0) expect(BigInt(t0) - (value!.value as bigint)).toBeLessThan(1_500_000n)
      }
      stop = true
      await work
      await pull.runOut({ method })
      const { rows } = await admin.query('SELECT count(*)::int AS n FROM t')
      expect(pull.landed.size).toBe(rows[0].n)
    })

    test('LATE-5a, E37: held without end, with the name of who holds it; other databases do not matter', async () => {
      const pull = await open()
      await pull.run({ method })
      const elsewhere = await session(server.url)
      await elsewhere.query('BEGIN; CREATE TEMP TABLE x ()')
      const a = await begin(1)
      await insert(2)
      await sleep(700)
      const fence = await pull.run({ method, fenceWaitMs: 100 })
      const [blocker] = fence.witnesses
      expect(fence.witnesses).toHaveLength(1)
      expect(blocker).toMatchObject({
        user: 'postgres',
        application: 'writer 1',
        state: 'idle in transaction',
      })
      expect(BigInt(blocker!.transactionAgeUs!)).toBeGreaterThan(600_000n)
      expect(JSON.stringify(fence.witnesses)).not.toContain('INSERT')
      expect(fence.decrees).toEqual([])
      await a.query('COMMIT')
      await pull.runOut({ method })
      everything(pull, 1, 2)
    })

    test('LATE-5b, E38, E39: decree, a second old writer holds again, then the bill', async () => {
      const pull = await open()
      const held = { method, holdMaxMs: 600, fenceWaitMs: 60 }
      await pull.run(held)
      const a = await begin(1)
      await sleep(60)
      await pull.run(held)
      const b = await begin(2)
      await insert(3)
      await pull.run(held)
      expect(pull.fence!.decrees).toEqual([])
      await sleep(600)
      const decreed = await pull.run(held)
      expect(decreed).toMatchObject({ proof: 'assumed', proofReason: expect.stringMatching(/decree/) })
      expect(decreed.decrees).toHaveLength(1)
      expect(decreed.decrees[0]!.blocker.application).toBe('writer 1')
      expect(decreed.witnesses[0]!.application).toBe('writer 2')
      expect((await pull.run(held)).decrees).toHaveLength(1)
      everything(pull)
      await a.query('COMMIT')
      await pull.run(held)
      expect([pull.fence!.settledDecrees.length, pull.billCount, pull.debts]).toEqual([1, 1, []])
      expect(pull.fence!.proof).toBe('proven')
      everything(pull, 1)
      await b.query('COMMIT')
      await pull.runOut(held)
      everything(pull, 1, 2, 3)
    })

    test('E39: a decreed writer that PREPAREs is not gone, and its row comes with the bill', async () => {
      const pull = await open()
      const held = { method, holdMaxMs: 400, fenceWaitMs: 60 }
      await pull.run(held)
      const a = await begin(1)
      await sleep(50)
      await pull.run(held)
      await sleep(450)
      expect((await pull.run(held)).decrees).toHaveLength(1)
      await a.query("PREPARE TRANSACTION 'renamed'")
      for (let i = 0; i < 3; i++) {
        await pull.run({ ...held, holdMaxMs: 'never' })
        expect(pull.fence!.settledDecrees).toEqual([])
      }
      await admin.query("COMMIT PREPARED 'renamed'")
      await pull.runOut(held)
      expect([pull.billCount, pull.debts]).toEqual([1, []])
      everything(pull, 1)
    })

    test('a rehearsal gives no decree away', async () => {
      const memory = mapMemory()
      const pull = await open(url, { memory })
      await pull.run({ method })
      const kept = await memory.load('fence/public.t')
      await begin(1)
      await sleep(300)
      const policy = { method, holdMaxMs: 200, fenceWaitMs: 60 }
      expect((await pull.freshFence(policy, { rehearsal: true })).decrees).toHaveLength(1)
      expect(await memory.load('fence/public.t')).toBe(kept)
    })

    test('OWN-1: a logical replication client does not hold the fence; an INSERT through one does', async () => {
      const { rows } = await admin.query(
        "SELECT pg_create_logical_replication_slot('s', 'test_decoding', true)",
      )
      expect(rows).toHaveLength(1)
      const pull = await open()
      await pull.run({ method })
      const stream = await session(url, { replication: 'database' } as pg.ClientConfig)
      stream.query('START_REPLICATION SLOT s LOGICAL 0/0').catch(() => {})
      await sleep(400)
      const begun = await clockOf(admin)
      await sleep(50)
      const fence = await pull.run({ method })
      expect(fence.value!.value as bigint).toBeGreaterThan(begun)
      const writer = await session(url, { replication: 'database' } as pg.ClientConfig)
      await writer.query('BEGIN')
      const stamped = await clockOf(admin)
      await writer.query('INSERT INTO t VALUES (1)')
      await sleep(100)
      expect((await pull.run({ method, fenceWaitMs: 60 })).value!.value as bigint).toBeLessThanOrEqual(
        stamped,
      )
      await writer.query('COMMIT')
      await pull.runOut({ method })
      everything(pull, 1)
      ;(stream as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
    })

    test('OWN-2: our own reader is not waited for', async () => {
      const pull = await open()
      await pull.run({ method })
      const reader = await pull.pool.lend()
      await reader.rows('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      await reader.rows('SELECT count(*) FROM t')
      await sleep(100)
      const begun = await clockOf(admin)
      await sleep(50)
      expect((await pull.run({ method })).value!.value as bigint).toBeGreaterThan(begun)
      await reader.rows('COMMIT')
      await pull.pool.giveBack(reader)
    })
  })

  test('P2: what was open at the very first look has no bound, whatever is looked at later', async () => {
    const a = await begin(1)
    const pull = await open()
    const fence = await pull.run({ method: 'P2', fenceWaitMs: 300 })
    expect(fence.value).toBeUndefined()
    expect(fence.heldBecause).toMatch(/before the first look/)
    await a.query('COMMIT')
    await pull.runOut({ method: 'P2' })
    everything(pull, 1)
  })

  test('one look serves tables that ask at the same time', async () => {
    const pull = await open()
    const fences = await Promise.all([pull, pull, pull].map((one) => one.freshFence()))
    expect(new Set(fences.map(({ t0 }) => t0)).size).toBe(1)
    expect(fences[0]!.logPosition).toMatchObject({
      timeline: '00000001',
      text: expect.stringMatching(/^[0-9A-F]+\//),
    })
  })

  test('E20: who stamps decides the level; settle has no evidence (E36)', async () => {
    const pull = await open()
    const unknown = { order: { ...pull.order, stampedBy: 'unknown' as const } }
    expect((await pull.freshFence()).proof).toBe('proven')
    expect((await pull.freshFence({}, unknown)).proof).toBe('assumed')
    expect((await pull.freshFence({}, { ...unknown, latenessMeasured: true })).proof).toBe('measured')
    const settled = await pull.freshFence({ method: 'settle' })
    expect(settled).toMatchObject({ method: 'settle', proof: 'assumed' })
    expect(BigInt(settled.t0) - (settled.value!.value as bigint)).toBe(200_000n)
  })

  test('OWN-3, E5: the bound is floored to the grain', async () => {
    const pull = await open(url, {
      order: { column: 'u', kind: 'timestamptz', tick: 1n, grain: 60_000_000n, stampedBy: 'database' },
    })
    const { value, t0 } = await pull.freshFence()
    expect((value!.value as bigint) % 60_000_000n).toBe(0n)
    expect(BigInt(t0) - (value!.value as bigint)).toBeLessThan(61_000_000n)
  })
})
