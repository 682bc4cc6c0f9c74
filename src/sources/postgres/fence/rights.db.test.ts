import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { clockOf, endSessions, Pull, session, withRole } from '../../../../test/support/fences.ts'
import { freshDatabase, postgresServers } from '../../../../test/support/servers.ts'

const EVERY_METHOD = ['P1', 'P2'] as const

describe.each(postgresServers())('whose sessions count, PostgreSQL $major', (server) => {
  let url: string
  let admin: pg.Client
  let pulls: Pull[]

  beforeEach(async () => {
    pulls = []
    url = await freshDatabase(server, 'rights')
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

  describe.each(EVERY_METHOD)('%s', (method) => {
    test('E34: a role that can only read is left out; granted a writing role it counts again', async () => {
      const pull = await open()
      await withRole(admin, url, async (reader, readerUrl) => {
        await admin.query(`GRANT SELECT ON t TO ${reader}`)
        const client = await session(readerUrl)
        await client.query('BEGIN')
        await client.query('SELECT * FROM t')
        await pull.run({ method })
        await sleep(50)
        const begun = await clockOf(admin)
        await sleep(50)
        const free = await pull.run({ method })
        expect(free).toMatchObject({ proof: 'proven', heldBecause: undefined })
        expect(free.value!.value as bigint).toBeGreaterThan(begun)
        await client.query('COMMIT')
        await withRole(admin, url, async (writer) => {
          await admin.query(`GRANT INSERT ON t TO ${writer}; GRANT ${writer} TO ${reader}`)
          await client.query('BEGIN')
          await client.query('SELECT * FROM t')
          await sleep(100)
          const held = await pull.run({ method, fenceWaitMs: 60 })
          expect(held.witnesses[0]).toMatchObject({ user: reader })
          await client.query('COMMIT')
        })
      })
    })

    test('E34: a right revoked from a transaction that has written does not make it harmless', async () => {
      const pull = await open()
      await withRole(admin, url, async (writer, writerUrl) => {
        await admin.query(`GRANT INSERT ON t TO ${writer}`)
        await pull.run({ method })
        const client = await session(writerUrl)
        await client.query('BEGIN')
        await client.query('INSERT INTO t VALUES (1)')
        await admin.query(`REVOKE INSERT ON t FROM ${writer}`)
        const later = await open(url, {})
        await sleep(100)
        for (const one of [pull, later]) {
          expect((await one.run({ method, fenceWaitMs: 60 })).witnesses[0]).toMatchObject({ user: writer })
        }
        await client.query('COMMIT')
        await pull.runOut({ method })
        everything(pull, 1)
      })
    })

    test('E34: excludeRoles is a declaration: assumed where it changes the fence', async () => {
      const pull = await open()
      await withRole(admin, url, async (role, roleUrl) => {
        await admin.query(`GRANT INSERT ON t TO ${role}`)
        const policy = { method, excludeRoles: [role], fenceWaitMs: 60 }
        await pull.run(policy)
        expect((await pull.run(policy)).proof).toBe('proven')
        const client = await session(roleUrl)
        await client.query('BEGIN')
        await client.query('SELECT 1')
        await sleep(100)
        const fence = await pull.run(policy)
        expect(fence).toMatchObject({ proof: 'assumed', proofReason: expect.stringContaining(role) })
        expect(fence.excluded).toHaveLength(1)
      })
    })
  })

  test('E25a: P1 without rights is refused, naming sessions and the grant; auto takes P2, then P1', async () => {
    await withRole(admin, url, async (role, roleUrl) => {
      await admin.query(`GRANT SELECT ON t TO ${role}`)
      await begin(1)
      const pull = await open(roleUrl)
      await expect(pull.run({ method: 'P1' })).rejects.toMatchObject({
        code: 'SOURCE_HIDDEN_SESSIONS',
        message: expect.stringMatching(/pid \d+ of postgres \(hidden\)/),
        hint: expect.stringContaining(`GRANT pg_read_all_stats TO "${role}"`),
      })
      expect((await pull.run({ fenceWaitMs: 100 })).method).toBe('P2')
      await admin.query(`GRANT pg_read_all_stats TO ${role}`)
      expect((await pull.run()).method).toBe('P1')
    })
  })

  test('E25b: track_activities = off blinds even a superuser: refused by name; auto takes P2', async () => {
    await withRole(admin, url, async (role, roleUrl) => {
      await admin.query(`GRANT INSERT ON t TO ${role}; ALTER ROLE ${role} SET track_activities = off`)
      const pull = await open()
      await pull.run({ method: 'P2' })
      const client = await session(roleUrl)
      await client.query('BEGIN')
      await client.query('INSERT INTO t VALUES (1)')
      await expect(pull.freshFence({ method: 'P1' })).rejects.toMatchObject({
        code: 'SOURCE_HIDDEN_SESSIONS',
        message: expect.stringContaining('(untracked)'),
        hint: expect.stringContaining(`ALTER ROLE "${role}" RESET track_activities`),
      })
      const fence = await pull.run({ fenceWaitMs: 60 })
      expect(fence).toMatchObject({ method: 'P2', witnesses: [{ user: role }] })
      await client.query('COMMIT')
      await pull.runOut()
      everything(pull, 1)
    })
  })
})
