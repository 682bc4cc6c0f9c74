import { createHash } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSession, openSource, orderIn } from '../../../../test/support/postgres-source.ts'
import { freshDatabase, postgresServers } from '../../../../test/support/servers.ts'
import { makeComparisonPlan } from '../../../kernel/fingerprint/make-plan.ts'
import type { Look } from '../../look.ts'

async function lookAt(url: string, name = 't'): Promise<Look> {
  const source = openSource(url)
  const shape = await source.describe({ schema: 'public', name }, { column: 'at', stampedBy: 'database' })
  const order = orderIn(shape, 'at')
  const plan = makeComparisonPlan({
    shape,
    key: ['id'],
    order,
    asText: [],
    destinationEngine: 'duckdb',
    digestHex: (text) => createHash('sha256').update(text).digest('hex'),
  })
  const limits = { queryMaxMs: 60_000, lockTimeoutMs: 1_000, replicaWaitMs: 1_000 }
  const look = await source.openLook({ shape, plan, order, asText: [], after: undefined, ...limits })
  onTestFinished(() => look.close())
  return look
}

describe.each(postgresServers())('looks of PostgreSQL $major', (server) => {
  test('a database that does not say what its texts mean is not compared (F17)', async () => {
    const base = new URL(await freshDatabase(server, 'look ascii'))
    const name = `${base.pathname.slice(1)}_a`
    const admin = await openSession(base.href)
    await admin(`CREATE DATABASE ${name} ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`)
    onTestFinished(async () => void (await admin(`DROP DATABASE ${name} WITH (FORCE)`)))
    base.pathname = `/${name}`
    await (await openSession(base.href))('CREATE TABLE t (id int PRIMARY KEY, at timestamptz, v text)')
    await expect(lookAt(base.href)).rejects.toMatchObject({ code: 'TYPE_NOT_SUPPORTED' })
  })

  test('a row tells who wrote it, and when where the server keeps that (A18)', async () => {
    const url = await freshDatabase(server, 'look commits')
    const ask = await openSession(url)
    await ask(
      'CREATE TABLE t (id int PRIMARY KEY, at timestamptz, v text); INSERT INTO t VALUES (1, now(), 1)',
    )
    await ask(`INSERT INTO t VALUES (2, now(), 2)`)
    const [commits] = (await ask('SHOW track_commit_timestamp')).flat()
    const found = await (await lookAt(url)).find(['1', '2'], 'row')
    const written = await ask('SELECT xmin::text FROM t ORDER BY id')
    expect(found.map(({ transaction }) => transaction)).toEqual(written.flat())
    for (const { committedUs } of found) {
      if (commits === 'on') expect(Number(committedUs)).toBeGreaterThan(1.7e15)
      else expect(committedUs).toBeUndefined()
    }
    await ask('CREATE VIEW seen AS SELECT * FROM t')
    // A view has no system columns.
    const [seen] = await (await lookAt(url, 'seen')).find(['2'], 'row')
    expect(seen?.texts[2]).toBe('v1:2')
    expect(seen).not.toHaveProperty('transaction')
  })

  test('checks take one process and leave the session as it was (A5)', async () => {
    const url = await freshDatabase(server, 'look parallel')
    const ask = await openSession(url)
    await ask(`CREATE TABLE t (id int PRIMARY KEY, at timestamptz, v text);
      INSERT INTO t SELECT g, now(), repeat('x', 100) FROM generate_series(1, 100000) g; ANALYZE t`)
    const name = new URL(url).pathname.slice(1)
    for (const setting of ['parallel_setup_cost', 'parallel_tuple_cost', 'min_parallel_table_scan_size'])
      await ask(`ALTER DATABASE ${name} SET ${setting} = 0`)
    const look = await lookAt(url)
    const watcher = await openSession(url)
    let most = 0
    const watch = async (): Promise<void> => {
      const [row] = await watcher(
        `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'parallel worker'`,
      )
      most = Math.max(most, Number(row![0]))
    }
    const sums = look.sums({ rows: 'all' }, 'row', 3)
    let isDone = false
    sums.finally(() => {
      isDone = true
    })
    while (!isDone) await watch()
    expect((await sums).size).toBe(4096)
    expect(most).toBe(0)
  })
})
