import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { endSessions, mapMemory, Pull, session, withRole } from '../../../../test/support/fences.ts'
import { freshDatabase, postgresServers } from '../../../../test/support/servers.ts'
import type { PositionOrder } from '../../../kernel/order.ts'
import { xidColumnSql } from './index.ts'

const BY_NUMBER: PositionOrder = {
  column: 'id',
  kind: 'integer',
  flavour: 'sequence',
  tick: 1n,
  grain: 1n,
  stampedBy: 'database',
}
const BY_XID: PositionOrder = { column: 'c', kind: 'xid8', tick: 1n, grain: 1n, stampedBy: 'unknown' }

describe.each(postgresServers())('fences by number, PostgreSQL $major', (server) => {
  let url: string
  let admin: pg.Client
  let pulls: Pull[]

  beforeEach(async () => {
    pulls = []
    url = await freshDatabase(server, 'numbers')
    admin = await session(url)
  })
  afterEach(async () => {
    await Promise.all(pulls.map((pull) => pull.close()))
    await endSessions()
  })

  async function open(
    order: PositionOrder,
    options: { memory?: ReturnType<typeof mapMemory> } = {},
  ): Promise<Pull> {
    const pull = await Pull.open(url, { order, ...options })
    pulls.push(pull)
    return pull
  }
  const insert = 'INSERT INTO t (v) VALUES (1) RETURNING id'
  const everything = (pull: Pull, ...ids: number[]) =>
    expect([...pull.landed].sort()).toEqual(ids.map(String))

  describe('N1', () => {
    const appendOnly = { appendOnly: true }

    test.each([
      ['identity', 'id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY'],
      ['serial', 'id serial PRIMARY KEY'],
      ['a default of its own', "id bigint PRIMARY KEY DEFAULT nextval('numbers')"],
    ])(
      'LATE-3, %s: an open number holds the fence; committed it lands, rolled back it is a gap',
      async (_, id) => {
        await admin.query(`CREATE SEQUENCE numbers; CREATE TABLE t (${id}, v int)`)
        const pull = await open(BY_NUMBER)
        await pull.run(appendOnly)
        const a = await session(url)
        await a.query('BEGIN')
        await a.query(insert)
        await admin.query(insert)
        const fence = await pull.run({ ...appendOnly, fenceWaitMs: 60 })
        expect(fence).toMatchObject({
          method: 'N1',
          proof: 'proven',
          value: { kind: 'integer', value: 1n },
          guardUs: '0',
        })
        expect(fence.heldBecause).toMatch(/^pid \d+/)
        await a.query('COMMIT')
        await pull.runOut(appendOnly)
        everything(pull, 1, 2)
        await a.query('BEGIN')
        await a.query(insert)
        await admin.query(insert)
        await sleep(60)
        expect((await pull.run({ ...appendOnly, fenceWaitMs: 60 })).value!.value).toBe(3n)
        await a.query('ROLLBACK')
        await pull.runOut(appendOnly)
        everything(pull, 1, 2, 4)
        expect(pull.watermark!.value).toBe(5n)
      },
    )

    test('a prepared transaction holds its number', async () => {
      await admin.query('CREATE TABLE t (id serial PRIMARY KEY, v int)')
      const pull = await open(BY_NUMBER)
      await pull.run(appendOnly)
      const a = await session(url)
      await a.query('BEGIN')
      await a.query(insert)
      await a.query("PREPARE TRANSACTION 'n'")
      await admin.query(insert)
      for (let i = 0; i < 2; i++) {
        expect((await pull.run({ ...appendOnly, fenceWaitMs: 60 })).value!.value).toBe(1n)
      }
      await admin.query("COMMIT PREPARED 'n'")
      await pull.runOut(appendOnly)
      everything(pull, 1, 2)
    })

    test('E38, E39: decree and bill, counted in time', async () => {
      await admin.query('CREATE TABLE t (id serial PRIMARY KEY, v int)')
      const pull = await open(BY_NUMBER)
      const held = { ...appendOnly, holdMaxMs: 400, fenceWaitMs: 60 }
      await pull.run(held)
      const a = await session(url)
      await a.query('BEGIN')
      await a.query(insert)
      await admin.query(insert)
      await pull.run(held)
      expect(pull.fence!.decrees).toEqual([])
      await sleep(450)
      const fence = await pull.run(held)
      expect(fence.decrees).toMatchObject([{ bound: { kind: 'integer', value: '1' } }])
      expect([fence.value!.value, fence.proof]).toEqual([3n, 'assumed'])
      everything(pull, 2)
      await a.query('COMMIT')
      await pull.runOut(held)
      expect([pull.billCount, pull.debts]).toEqual([1, []])
      everything(pull, 1, 2)
    })

    test('refusals: no sequence, counting down, cycling, not readable, updates not excluded', async () => {
      await admin.query('CREATE TABLE t (id bigint PRIMARY KEY, v int)')
      const ask = async () => {
        await pulls[0]!.freshFence(appendOnly)
      }
      await open(BY_NUMBER)
      const refused = (words: RegExp) => ({ code: 'POSITION_REFUSED', message: expect.stringMatching(words) })
      await expect(ask()).rejects.toMatchObject(refused(/by no sequence/))
      await expect(pulls[0]!.freshFence({})).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
      await admin.query("CREATE SEQUENCE s; ALTER TABLE t ALTER id SET DEFAULT nextval('s')")
      await ask()
      await admin.query('ALTER SEQUENCE s CYCLE')
      await expect(ask()).rejects.toMatchObject(refused(/upwards/))
      await admin.query('ALTER SEQUENCE s NO CYCLE INCREMENT -1')
      await expect(ask()).rejects.toMatchObject(refused(/upwards/))
      await admin.query('ALTER SEQUENCE s INCREMENT 1 CACHE 20')
      expect(await pulls[0]!.freshFence(appendOnly)).toMatchObject({
        proof: 'assumed',
        proofReason: expect.stringMatching(/20 numbers ahead/),
      })
      await withRole(admin, url, async (role, roleUrl) => {
        await admin.query(`GRANT SELECT ON t TO ${role}`)
        const pull = await Pull.open(roleUrl, { order: BY_NUMBER })
        pulls.push(pull)
        await expect(pull.freshFence(appendOnly)).rejects.toMatchObject(refused(/cannot be read/))
      })
    })

    test('E35: a counter that falls stops, in a later process too', async () => {
      await admin.query('CREATE TABLE t (id serial PRIMARY KEY, v int)')
      const memory = mapMemory()
      const first = await open(BY_NUMBER, { memory })
      for (let i = 0; i < 5; i++) await admin.query(insert)
      await first.run(appendOnly)
      await admin.query('TRUNCATE t RESTART IDENTITY')
      const second = await open(BY_NUMBER, { memory })
      await expect(second.run(appendOnly)).rejects.toMatchObject({
        code: 'SOURCE_WENT_BACK',
        context: { before: '5', now: '0' },
      })
      await admin.query("SELECT setval('t_id_seq', 5)")
      expect((await second.run(appendOnly)).value!.value).toBe(6n)
    })
  })

  describe('P3', () => {
    beforeEach(async () => {
      await admin.query('CREATE TABLE t (id serial PRIMARY KEY, v int); INSERT INTO t (v) VALUES (0)')
      for (const statement of xidColumnSql({ schema: 'public', name: 't' }, 'c').split(/;\n/)) {
        await admin.query(statement)
      }
    })

    test('LATE-1 with subtransactions and a prepared one; earlier rows come first', async () => {
      const pull = await open(BY_XID)
      const a = await session(url)
      await a.query('BEGIN')
      await a.query('SAVEPOINT s')
      await a.query(insert)
      await a.query('RELEASE s')
      await a.query(insert)
      await admin.query(insert)
      const fence = await pull.run()
      expect(fence).toMatchObject({ method: 'P3', proof: 'proven', clockStepUs: '0' })
      expect(fence.witnesses[0]!.key).toBe(`xid:${fence.value!.value}`)
      expect(fence.witnesses[0]!.pid).toBeGreaterThan(0)
      everything(pull, 1)
      await a.query("PREPARE TRANSACTION 'p'")
      await pull.run()
      expect(pull.fence!.heldBecause).toMatch(/'p'/)
      everything(pull, 1)
      await admin.query("COMMIT PREPARED 'p'")
      await pull.runOut()
      everything(pull, 1, 2, 3, 4)
    })

    test('E38, E39: the next running transaction, then the bill', async () => {
      const pull = await open(BY_XID)
      await pull.run()
      const [a, b] = [await session(url), await session(url)]
      await a.query('BEGIN')
      await a.query(insert)
      await admin.query(insert)
      await b.query('BEGIN')
      await b.query(insert)
      await admin.query(insert)
      await sleep(250)
      const fence = await pull.run({ holdMaxMs: 200 })
      expect(fence.decrees).toHaveLength(1)
      expect(fence.witnesses[0]!.key).toBe(`xid:${fence.value!.value}`)
      everything(pull, 1, 3)
      await a.query('COMMIT')
      await b.query('ROLLBACK')
      await pull.runOut()
      expect([pull.billCount, pull.debts]).toEqual([1, []])
      everything(pull, 1, 2, 3, 5)
    })

    test.each([
      ['ALTER TABLE t ENABLE TRIGGER zzz_plimsoll_xid', /not ENABLE ALWAYS/],
      ['DROP TRIGGER zzz_plimsoll_xid ON t', /no trigger sets c/],
      ['ALTER TABLE t DISABLE TRIGGER ALL', /no trigger sets c/],
      [
        `DROP TRIGGER zzz_plimsoll_xid ON t;
         CREATE TRIGGER zzz_plimsoll_xid BEFORE INSERT OR UPDATE ON t FOR EACH ROW WHEN (NEW.v > 0)
           EXECUTE FUNCTION plimsoll_xid_t();
         ALTER TABLE t ENABLE ALWAYS TRIGGER zzz_plimsoll_xid`,
        /condition or a list/,
      ],
      [
        `CREATE FUNCTION undo() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.c := 7; RETURN NEW; END';
         CREATE TRIGGER zzzz BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION undo()`,
        /zzzz fires after/,
      ],
      ['CREATE TABLE child () INHERITS (t)', /table child: no trigger/],
    ])('E20: %s is not proven', async (statement, words) => {
      const pull = await open(BY_XID)
      expect((await pull.freshFence()).proof).toBe('proven')
      await admin.query(statement)
      const { proof, proofReason } = await pull.freshFence()
      expect([proof, proofReason]).toEqual(['assumed', expect.stringMatching(words)])
    })

    test('the trigger of a partitioned table is verified on every partition', async () => {
      await admin.query('DROP TABLE t; CREATE TABLE t (id int, v int) PARTITION BY RANGE (id)')
      await admin.query('CREATE TABLE p1 PARTITION OF t FOR VALUES FROM (0) TO (9)')
      const statements = xidColumnSql({ schema: 'public', name: 't' }, 'c').replace(/CONCURRENTLY /, '')
      await admin.query(statements.replace(/CREATE FUNCTION/, 'CREATE OR REPLACE FUNCTION'))
      const pull = await open(BY_XID)
      expect(await pull.freshFence()).toMatchObject({ proof: 'proven' })
      await admin.query('ALTER TABLE p1 ENABLE REPLICA TRIGGER zzz_plimsoll_xid')
      expect((await pull.freshFence()).proofReason).toMatch(/table p1/)
    })
  })
})
