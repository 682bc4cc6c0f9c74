import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { installedMajors, type PostgresServer, startPostgres } from '../../../../scripts/servers/postgres.ts'
import { BY_TIME, endSessions, Pull, session } from '../../../../test/support/fences.ts'
import { xidColumnSql } from './index.ts'

describe.each(installedMajors())('fences asked of a standby, PostgreSQL $major', ({ which }) => {
  let primary: PostgresServer
  let standby: PostgresServer
  beforeAll(async () => {
    primary = await startPostgres({ which })
    const admin = await session(primary.url)
    await admin.query('CREATE TABLE t (id serial PRIMARY KEY, u timestamptz DEFAULT now())')
    for (const statement of xidColumnSql({ schema: 'public', name: 't' }, 'c').split(/;\n/)) {
      await admin.query(statement)
    }
    await endSessions()
    standby = await primary.createReplica()
  })
  afterAll(async () => {
    await standby?.dispose()
    await primary?.dispose()
  })
  afterEach(endSessions)

  async function replayed(): Promise<void> {
    const [at] = (await (await session(primary.url)).query('SELECT pg_current_wal_insert_lsn() AS lsn')).rows
    const there = await session(standby.url)
    const deadline = performance.now() + 20_000
    for (;;) {
      const { rows } = await there.query('SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS done', [at.lsn])
      if (rows[0].done) return
      expect(performance.now()).toBeLessThan(deadline)
    }
  }

  test('E25c: every method that lists writers refuses; settle does not', async () => {
    const pull = await Pull.open(standby.url, { order: BY_TIME })
    for (const method of ['auto', 'P1', 'P2'] as const) {
      await expect(pull.freshFence({ method })).rejects.toMatchObject({ code: 'FENCE_ON_STANDBY' })
    }
    const fence = await pull.freshFence({ method: 'settle' })
    expect(fence).toMatchObject({ method: 'settle', proof: 'assumed', logPosition: undefined })
    await pull.close()
  })

  test('E28: P3 holds on the standby, which lists nobody; nobody is passed over there', async () => {
    const order = { ...BY_TIME, column: 'c', kind: 'xid8' as const }
    const pull = await Pull.open(standby.url, { order })
    const writer = await session(primary.url)
    await writer.query('BEGIN')
    const { rows } = await writer.query('INSERT INTO t DEFAULT VALUES RETURNING id, c')
    const other = await session(primary.url)
    await other.query('INSERT INTO t DEFAULT VALUES')
    await replayed()
    const fence = await pull.run({ holdMaxMs: 0 })
    expect(fence).toMatchObject({ method: 'P3', proof: 'proven', decrees: [] })
    expect(fence.value!.value as bigint).toBeLessThanOrEqual(BigInt(rows[0].c))
    expect(pull.landed.size).toBe(0)
    await writer.query('COMMIT')
    await other.query('INSERT INTO t DEFAULT VALUES')
    await replayed()
    await pull.run()
    expect(pull.landed).toContain(String(rows[0].id))
    await pull.close()
  })
})
