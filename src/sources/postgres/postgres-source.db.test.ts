import { describe, expect, test } from 'vitest'
import { openSession, openSource, orderIn, readerRequest } from '../../../test/support/postgres-source.ts'
import { freshDatabase, postgresServers } from '../../../test/support/servers.ts'
import type { FencePolicy } from '../source.ts'

const POLICY: FencePolicy = {
  method: 'auto',
  guardMs: 50,
  fenceSampleMs: 100,
  fenceFreshMs: 10_000,
  fenceWaitMs: 5_000,
  holdMaxMs: 'never',
  settleMs: 1_000,
  busyWaitMs: 1_000,
  excludeRoles: [],
  appendOnly: false,
}

describe.each(postgresServers())('PostgreSQL $major as a source', (server) => {
  test('OWN-2: fence, read, fence again while the reader stays open: own sessions hold nothing', async () => {
    const url = await freshDatabase(server, 'source')
    const sql = await openSession(url)
    await sql(`CREATE TABLE t (id int PRIMARY KEY, updated_at timestamptz NOT NULL DEFAULT now());
      CREATE INDEX ON t (updated_at); INSERT INTO t SELECT g, now() - g * interval '61 seconds 1 microsecond' FROM generate_series(1, 100) g`)
    const source = openSource(url)
    const shape = await source.describe(
      { schema: 'public', name: 't' },
      { column: 'updated_at', stampedBy: 'database' },
    )
    const order = orderIn(shape, 'updated_at')
    const ask = { shape, order, policy: POLICY, outstandingDecrees: [] }
    await expect.poll(async () => (await source.fence(ask)).proof).toBe('proven')
    const fence = await source.fence(ask)
    const reader = await source.openReader(
      readerRequest(shape, order, { after: fence.logPosition, futureFromUs: BigInt(fence.t0) + 5_000_000n }),
    )
    const stream = reader.read({ kind: 'range', range: { lower: undefined, upper: fence.value! } })
    stream.bytes.resume()
    expect((await stream.done).rowCount).toBe(100)
    const openedUs = BigInt(fence.t0)
    await expect
      .poll(async () => BigInt(String((await source.fence(ask)).value?.value ?? 0)) > openedUs + 300_000n, {
        timeout: 5_000,
      })
      .toBe(true)
    await reader.close()
  })

  test('tables one after another take two sessions in all', async () => {
    const url = await freshDatabase(server, 'many tables')
    const sql = await openSession(url)
    const names = Array.from({ length: 30 }, (_, i) => `t${i}`)
    for (const name of names) await sql(`CREATE TABLE ${name} (id int PRIMARY KEY, updated_at timestamptz)`)
    const source = openSource(url)
    for (const name of names) {
      const shape = await source.describe({ schema: 'public', name })
      const reader = await source.openReader(readerRequest(shape, orderIn(shape, 'updated_at')))
      await reader.close()
    }
    const ours = `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'plimsoll' AND datname = current_database()`
    expect(await sql(ours)).toEqual([['2']])
  })
})
