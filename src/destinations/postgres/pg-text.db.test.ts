import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { describe, expect, test } from 'vitest'
import { setupOn } from '../../../test/support/postgres-destination.ts'
import { postgresServers } from '../../../test/support/servers.ts'
import type { LogicalType } from '../../kernel/types.ts'
import type { ColumnShape, RowStream } from '../../sources/source.ts'
import { inScene } from '../../testing/destination-setup.ts'
import { column, ordersTable, startStream } from '../../testing/destination-stream.ts'

const OPAQUE: LogicalType = { name: 'opaque' }
const MOMENTS = `'{epoch,infinity,-infinity,294276-12-31 23:59:59.999999,4714-11-24 00:00:00 BC,NULL}'`

/** Native type, what it holds, and an array of extremes as SQL. */
const CASES: readonly (readonly [string, LogicalType, string])[] = [
  ['smallint', { name: 'int2' }, `'{-32768,32767}'`],
  ['numeric', { name: 'numeric' }, `'{1.0,1.00,NaN,0.00000000000000000000000001,-1e200}'`],
  ['numeric(10,2)', { name: 'numeric', precision: 10, scale: 2 }, `'{-99999999.99,NaN}'`],
  ['real', { name: 'float4' }, `'{-0,NaN,Infinity,1e-45,3.4028235e38}'`],
  ['double precision', { name: 'float8' }, `'{-0,NaN,-Infinity,5e-324,1.7976931348623157e308}'`],
  ['character varying(5)', { name: 'text' }, `'{"a b","","\\\\.","\\\\N","\\"","\u{1F600}"}'`],
  ['character(4)', { name: 'text' }, `'{"a","","abcd"}'`],
  ['bytea', { name: 'bytes' }, `array['\\x', '\\x00ff2c220a5c']::bytea[]`],
  ['date', { name: 'date' }, `'{infinity,-infinity,5874897-12-31,4714-11-24 BC}'`],
  ['time(3) without time zone', { name: 'time' }, `'{24:00:00,00:00:00.123}'`],
  ['time with time zone', { name: 'timetz' }, `'{24:00:00-15:59:59,00:00:00+15:59}'`],
  ['timestamp without time zone', { name: 'timestamp' }, MOMENTS],
  ['timestamp with time zone', { name: 'timestamptz' }, MOMENTS],
  ['interval', { name: 'interval' }, `'{1 mon,30 days,720:00:00,-1 year 1 day -0.000001 sec}'`],
  ['json', { name: 'json' }, `array['{"a":1,"a":2}', ' [1.0] ']::json[]`],
  ['jsonb', { name: 'jsonb' }, `array['{"a": 1.00}', 'null']::jsonb[]`],
  ['bit(3)', { name: 'bit' }, `array[B'000', B'101']`],
  ['bit varying', { name: 'bit' }, `array[B'', B'1']::varbit[]`],
  ['inet', OPAQUE, `'{10.0.0.1/8,::1}'`],
  ['tsvector', OPAQUE, `array['a:1 b:2']::tsvector[]`],
  ['int4range', OPAQUE, `array['[1,5)', 'empty']::int4range[]`],
  ['point', OPAQUE, `array['(1,-0)']::point[]`],
  ['pg_lsn', OPAQUE, `'{16/B374D848}'`],
  ['regclass', OPAQUE, `'{pg_class}'`],
]

describe.each(postgresServers())('pg_text on PostgreSQL $major', (server) => {
  const setup = setupOn(server)

  test.each(CASES)('%s passes through COPY as it is', (nativeType, type, extremes) =>
    inScene(setup, `copy ${nativeType}`, async (scene) => {
      await scene.store.execute!(`create schema src; create table src.t as
        select n as id, timestamptz '2026-03-01' as at, v from unnest(${extremes}::${nativeType}[]) with ordinality u(v, n)`)
      const columns: ColumnShape[] = [
        column('id', { name: 'int8' }, false),
        column('at', { name: 'timestamptz' }),
        { name: 'v', nativeType, builtin: true, type, nullable: true },
      ]
      const stream = await startStream(scene, await scene.open(), ordersTable(scene, { columns }))
      const differences = `select coalesce(json_agg(t.v::text || ' / ' || o.v::text), '[]')::text
        from src.t t full join orders o using (id) where t.v::text is distinct from o.v::text`
      await withClient(scene.store.url, async (client) => {
        const [rows, shown] = await Promise.all([
          first(client, 'select count(*)::int from src.t'),
          first(
            client,
            `select format_type(atttypid, atttypmod) from pg_attribute where attrelid = 'orders'::regclass and attname = 'v'`,
          ),
        ])
        expect(shown).toBe(nativeType === 'regclass' ? 'text' : nativeType)
        for (const known of ['nothing_there', 'anything'] as const) {
          const receipt = await stream.land([], { stream: copied(client, 'src.t', rows as number), known })
          expect(await first(client, differences)).toBe('[]')
          const expected = known === 'anything' ? { inserted: 0, updated: 0 } : { inserted: rows }
          expect(receipt).toMatchObject(expected)
          expect(receipt.checksum).toMatch(known === 'nothing_there' ? /^rows:/ : /^keys:/)
        }
      })
    }),
  )
})

/** A table's rows as PostgreSQL's own COPY writes them. */
function copied(client: pg.Client, table: string, rowCount: number): RowStream {
  const bytes = client.query(copyTo(`COPY ${table} TO STDOUT (FORMAT text)`))
  const done = new Promise<{ rowCount: number; byteSize: number }>((resolve) => {
    bytes.once('end', () => resolve({ rowCount, byteSize: 0 }))
  })
  return { format: 'pg_text', bytes, done, cancel: async () => void bytes.destroy() }
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query("SET timezone = 'UTC'")
    await work(client)
  } finally {
    await client.end()
  }
}

async function first(client: pg.Client, text: string): Promise<unknown> {
  return (await client.query({ text, rowMode: 'array' })).rows[0]?.[0]
}
