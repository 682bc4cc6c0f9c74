import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import {
  collect,
  openSession,
  openSource,
  orderIn,
  readerRequest,
  readTable,
  testContext,
  tz,
} from '../../../../test/support/postgres-source.ts'
import { freshDatabase, postgresServers } from '../../../../test/support/servers.ts'
import { parseTimestamp } from '../../../kernel/calendar.ts'

const at = (text: string) => tz(parseTimestamp(text)!)
const byU = { column: 'u' }

describe.each(postgresServers())('a reader of PostgreSQL $major', (server) => {
  test('PREC-1, TIE-7: a border between two microseconds cuts exactly there', async () => {
    const url = await freshDatabase(server, 'borders')
    const sql = await openSession(url)
    await sql(`CREATE TABLE t (id int PRIMARY KEY, u timestamptz NOT NULL);
      CREATE INDEX ON t (u);
      INSERT INTO t VALUES (1, '2025-01-01 00:00:00.061789Z'), (2, '2025-01-01 00:00:00.061790Z'),
        (3, '2025-01-01 10:04:59.999999Z'), (4, '2025-01-01 10:05:00.000000Z')`)
    const { reader } = await readTable(openSource(url), 'public.t', byU)
    const read = async (lower: string | undefined, upper: string) => {
      const range = { lower: lower === undefined ? undefined : at(lower), upper: at(upper) }
      return collect(reader.read({ kind: 'range', range }).bytes)
    }
    expect(await read(undefined, '2025-01-01 00:00:00.061790')).toBe('1,2025-01-01 00:00:00.061789\n')
    const second = reader.read({
      kind: 'range',
      range: { lower: at('2025-01-01 00:00:00.061790'), upper: at('2025-01-01 10:05:00') },
    })
    expect(await collect(second.bytes)).toBe('2,2025-01-01 00:00:00.06179\n3,2025-01-01 10:04:59.999999\n')
    expect(await second.done).toEqual({ rowCount: 2, byteSize: 57 })
    expect(await read('2025-01-01 10:05:00', '2025-01-02')).toBe('4,2025-01-01 10:05:00\n')
    expect(await reader.newest()).toEqual(at('2025-01-01 10:05:00'))
    expect(await reader.nextBorder(undefined, at('2026-01-01'), 2)).toEqual(at('2025-01-01 00:00:00.061790'))
    expect(await reader.nextBorder(at('2025-01-01 00:00:00.061790'), at('2026-01-01'), 2)).toEqual(
      at('2025-01-01 10:05:00'),
    )
    expect(await reader.nextBorder(at('2025-01-01 10:05:00'), at('2026-01-01'), 1)).toBeUndefined()
  })

  test('OWN-8: a rewriting ALTER that commits before the lock stops the run', async () => {
    const url = await freshDatabase(server, 'rewrite')
    const sql = await openSession(url)
    await sql(`CREATE TABLE t (id int PRIMARY KEY, n int, u timestamptz DEFAULT now());
      INSERT INTO t SELECT g, g FROM generate_series(1, 100) g`)
    const source = openSource(url)
    const shape = await source.describe({ schema: 'public', name: 't' }, byU)
    const request = readerRequest(shape, orderIn(shape, 'u'))
    await sql('ALTER TABLE t ALTER COLUMN n TYPE bigint')
    await expect(source.openReader(request)).rejects.toMatchObject({ code: 'SCHEMA_CHANGED' })
    await sql('DROP TABLE t; CREATE TABLE t (id int PRIMARY KEY, n int, u timestamptz DEFAULT now())')
    await expect(source.openReader(request)).rejects.toMatchObject({ code: 'SCHEMA_CHANGED' })
  })

  test('OWN-8: while a reader is open nothing can empty its table', async () => {
    const url = await freshDatabase(server, 'truncate')
    const sql = await openSession(url)
    await sql(`CREATE TABLE t (id int PRIMARY KEY, u timestamptz DEFAULT now());
      INSERT INTO t SELECT g FROM generate_series(1, 100) g; SET lock_timeout = '100ms'`)
    const source = openSource(url, {
      context: {
        ...testContext(),
        reach: async (name) => {
          if (name === 'read.locked') await expect(sql('TRUNCATE t')).rejects.toThrow(/lock timeout/)
        },
      },
    })
    const { reader } = await readTable(source, 'public.t', byU)
    const stream = reader.read({ kind: 'range', range: { lower: undefined, upper: at('9000-01-01') } })
    stream.bytes.resume()
    expect((await stream.done).rowCount).toBe(100)
    await reader.close()
    await sql('TRUNCATE t')
  })

  test('an exclusive lock is waited for no longer than lock_timeout', async () => {
    const url = await freshDatabase(server, 'locked')
    const sql = await openSession(url)
    await sql('CREATE TABLE t (id int PRIMARY KEY, u timestamptz DEFAULT now())')
    const source = openSource(url)
    const shape = await source.describe({ schema: 'public', name: 't' }, byU)
    await sql('BEGIN; LOCK TABLE t')
    const request = readerRequest(shape, orderIn(shape, 'u'), { lockTimeoutMs: 100 })
    await expect(source.openReader(request)).rejects.toMatchObject({
      code: 'SOURCE_FAILED',
      context: { state: '55P03' },
    })
    await sql('ROLLBACK')
    await (await source.openReader(request)).close()
  })

  test('rows hidden by a policy are refused, never left out', async () => {
    const url = await freshDatabase(server, 'hidden rows')
    const sql = await openSession(url)
    const role = `reader_${server.major}_${Math.floor(performance.now())}`
    await sql(`CREATE TABLE t (id int PRIMARY KEY, u timestamptz DEFAULT now()); INSERT INTO t VALUES (1), (2);
      CREATE ROLE ${role} LOGIN; GRANT SELECT ON t TO ${role}`)
    const asRole = new URL(url)
    asRole.username = role
    const source = openSource(asRole.href)
    const shape = await source.describe({ schema: 'public', name: 't' }, byU)
    await sql('ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY one ON t USING (id = 1)')
    await expect(source.describe(shape.table, byU)).rejects.toMatchObject({ code: 'ROWS_HIDDEN_BY_POLICY' })
    const reader = await source.openReader(readerRequest(shape, orderIn(shape, 'u')))
    const stream = reader.read({ kind: 'range', range: { lower: undefined, upper: at('9000-01-01') } })
    await expect(collect(stream.bytes)).rejects.toMatchObject({ code: 'ROWS_HIDDEN_BY_POLICY' })
    await expect(stream.done).rejects.toMatchObject({ code: 'ROWS_HIDDEN_BY_POLICY' })
    await reader.close()
    await sql(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
  })

  test('a query over its limit is ended by the server, and the stream says so', async () => {
    const url = await freshDatabase(server, 'too long')
    const sql = await openSession(url)
    await sql(`CREATE TABLE base (id int, u timestamptz); INSERT INTO base VALUES (1, now());
      CREATE VIEW t AS SELECT id, u, pg_sleep(5)::text AS slow FROM base`)
    const { reader } = await readTable(openSource(url), 'public.t', byU, { queryMaxMs: 200 })
    const stream = reader.read({ kind: 'range', range: { lower: undefined, upper: at('9000-01-01') } })
    await expect(collect(stream.bytes)).rejects.toMatchObject({ code: 'SOURCE_QUERY_TOO_LONG' })
    await expect(stream.done).rejects.toMatchObject({ code: 'SOURCE_QUERY_TOO_LONG' })
    // The snapshot lives on, so that a smaller slice of it can be read.
    const smaller = { lower: at('2000-01-01'), upper: at('2000-01-02') }
    expect(await collect(reader.read({ kind: 'range', range: smaller }).bytes)).toBe('')
  })

  test('a session that is ended midway loses the snapshot', async () => {
    const url = await freshDatabase(server, 'ended')
    const sql = await openSession(url)
    await bigTable(sql)
    const { reader } = await readTable(openSource(url), 'public.t', byU)
    const stream = reader.read({ kind: 'range', range: { lower: undefined, upper: at('9000-01-01') } })
    stream.bytes.once('data', () => stream.bytes.pause())
    await sleep(200)
    await sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'plimsoll' AND query LIKE 'COPY%'`,
    )
    stream.bytes.resume()
    await expect(stream.done).rejects.toMatchObject({ code: 'SOURCE_SNAPSHOT_LOST' })
  })

  test.each(['unread', 'paused'])(
    'cancel ends the query at the source while its rows are %s',
    async (how) => {
      const url = await freshDatabase(server, 'cancel')
      const sql = await openSession(url)
      await bigTable(sql)
      const { reader } = await readTable(openSource(url), 'public.t', byU)
      const stream = reader.read({ kind: 'range', range: { lower: undefined, upper: at('9000-01-01') } })
      if (how === 'paused') stream.bytes.once('data', () => stream.bytes.pause())
      await sleep(200)
      await stream.cancel()
      await expect(stream.done).rejects.toThrow()
      await reader.close()
      const copies = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY%'`
      await expect.poll(() => sql(copies)).toEqual([])
    },
  )

  test('readers one after another share a session', async () => {
    const url = await freshDatabase(server, 'reuse')
    const sql = await openSession(url)
    await sql('CREATE TABLE t (id int PRIMARY KEY, u timestamptz DEFAULT now())')
    const source = openSource(url)
    const shape = await source.describe({ schema: 'public', name: 't' }, byU)
    for (let i = 0; i < 20; i++) {
      const reader = await source.openReader(readerRequest(shape, orderIn(shape, 'u')))
      reader.read({ kind: 'range', range: { lower: undefined, upper: at('9000-01-01') } }).bytes.resume()
      await reader.countLanes(10)
      await reader.close()
    }
    const ours = `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'plimsoll' AND datname = current_database()`
    expect(await sql(ours)).toEqual([['2']])
  })
})

/** More than all buffers between server and reader hold. */
async function bigTable(sql: (text: string) => Promise<unknown>): Promise<void> {
  await sql(`CREATE TABLE t (id int PRIMARY KEY, u timestamptz, filler text);
    INSERT INTO t SELECT g, now(), repeat('x', 1000) FROM generate_series(1, 40000) g`)
}
