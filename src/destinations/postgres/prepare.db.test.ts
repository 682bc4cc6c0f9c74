import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { setupOn, textStream } from '../../../test/support/postgres-destination.ts'
import { postgresServers } from '../../../test/support/servers.ts'
import type { LogicalType } from '../../kernel/types.ts'
import type { ColumnShape } from '../../sources/source.ts'
import { failure } from '../../testing/destination-expect.ts'
import { inScene, type Scene, testContext } from '../../testing/destination-setup.ts'
import { column, ordersTable, startStream } from '../../testing/destination-stream.ts'
import { connector } from './index.ts'

const T = '2026-03-01 10:00:00+00'

/** What another engine or another database calls a type, and what it becomes here. */
const TYPES: readonly (readonly [string, boolean, LogicalType, string])[] = [
  ['public.mood', false, { name: 'opaque' }, 'text'],
  ['public.mood[]', false, { name: 'list', of: { name: 'opaque' } }, 'text[]'],
  ['public.price', false, { name: 'numeric', precision: 12, scale: 4 }, 'numeric(12,4)'],
  ['public.citext', false, { name: 'opaque' }, 'text'],
  ['money', true, { name: 'numeric' }, 'numeric'],
  ['regclass', true, { name: 'opaque' }, 'text'],
  ['inet', true, { name: 'opaque' }, 'inet'],
  ['inet[]', true, { name: 'list', of: { name: 'opaque' } }, 'inet[]'],
  ['of_the_future', true, { name: 'opaque' }, 'text'],
  ['interval day to second(3)', true, { name: 'interval' }, 'interval day to second(3)'],
  ['timestamp(3) with time zone', true, { name: 'timestamptz' }, 'timestamp(3) with time zone'],
  ['INTEGER', true, { name: 'int8' }, 'bigint'],
  ['integer', true, { name: 'int8' }, 'bigint'],
  ['VARCHAR(20)', true, { name: 'text' }, 'text'],
  ['text); drop table x; --', true, { name: 'text' }, 'text'],
  ['', true, { name: 'uint8' }, 'numeric(20,0)'],
]

describe.each(postgresServers())('prepare on PostgreSQL $major', (server) => {
  const setup = setupOn(server)

  test('types: the exact one where this server has it, else one that holds the value', () =>
    inScene(setup, 'types', async (scene) => {
      const others = TYPES.map(([nativeType, builtin, type], i): ColumnShape => {
        return { name: `c${i}`, nativeType, builtin, type, nullable: true }
      })
      const columns = [...ordersTable(scene).columns, ...others]
      await startStream(scene, await scene.open(), ordersTable(scene, { columns }))
      const made = await query(
        scene,
        `select format_type(atttypid, atttypmod) from pg_attribute
         where attrelid = 'orders'::regclass and attname ~ '^c\\d' order by attnum`,
      )
      expect(made.flat()).toEqual(TYPES.map((each) => each[3]))
    }))

  test.each(['x'.repeat(64), 'ä'.repeat(32), 'ctid', 'xmin', '_plimsoll_seq', ''])(
    'the column name "%s" is refused',
    (name) =>
      inScene(setup, 'names', async (scene) => {
        const columns = [...ordersTable(scene).columns, column(name, { name: 'text' })]
        const error = await failure(
          'DESTINATION_TABLE_MISMATCH',
          (await scene.open()).prepare(ordersTable(scene, { columns }), undefined),
        )
        expect(error.context).toMatchObject({ name })
      }),
  )

  test('a wider type of the user stays, a computed column is a mismatch', () =>
    inScene(setup, 'wider', async (scene) => {
      const destination = await scene.open()
      await scene.store.execute!('create table orders (id numeric, at timestamptz, note text)')
      expect(await destination.prepare(ordersTable(scene), undefined)).toEqual({ kind: 'unchanged' })
      await scene.store.execute!(
        `create table computed (id bigint, at timestamptz, note text generated always as ('x') stored)`,
      )
      const target = { schema: 'public', name: 'computed' }
      await failure(
        'DESTINATION_TABLE_MISMATCH',
        destination.prepare(ordersTable(scene, { target }), undefined),
      )
    }))

  test('a view is a mismatch', () =>
    inScene(setup, 'view', async (scene) => {
      await scene.store.execute!('create view orders as select 1::bigint as id')
      const error = await failure(
        'DESTINATION_TABLE_MISMATCH',
        (await scene.open()).prepare(ordersTable(scene), undefined),
      )
      expect(error.message).toContain('not a table')
    }))

  test('a partitioned table of the user takes rows', () =>
    inScene(setup, 'partitioned', async (scene) => {
      await scene.store.execute!(
        `create table orders (id bigint, at timestamptz, note text) partition by hash (id);
         create table orders_0 partition of orders for values with (modulus 2, remainder 0);
         create table orders_1 partition of orders for values with (modulus 2, remainder 1)`,
      )
      const stream = await startStream(scene, await scene.open(), ordersTable(scene))
      await stream.land([['1', T, 'a']].map((row) => row))
      const receipt = await stream.land([], {
        stream: textStream([
          ['1', T, 'b'],
          ['2', T, 'c'],
        ]),
      })
      expect([receipt.inserted, receipt.updated]).toEqual([1, 1])
    }))

  test('a role that may not create the schema is told the GRANT', () =>
    inScene(setup, 'grant', async (scene) => {
      const role = `r_${new URL(scene.store.url).pathname.slice(-8)}`
      await scene.store.execute!(`create role ${role} login`)
      const url = new URL(scene.store.url)
      url.username = role
      const destination = await connector.open({ url: url.href, context: testContext(() => {}) })
      try {
        const error = await failure('DESTINATION_AUTH_FAILED', destination.identity())
        expect(error.hint).toContain('GRANT CREATE ON DATABASE')
      } finally {
        await destination.close()
        await scene.store.execute!(`drop role ${role}`)
      }
    }))

  test('nobody there, an unknown role, an unknown database', () =>
    inScene(setup, 'unreachable', async (scene) => {
      const codes: [(url: URL) => void, 'DESTINATION_UNAVAILABLE' | 'DESTINATION_AUTH_FAILED'][] = [
        [(url) => (url.port = '1'), 'DESTINATION_UNAVAILABLE'],
        [(url) => (url.pathname = '/no_such_database'), 'DESTINATION_UNAVAILABLE'],
        [(url) => (url.username = 'no_such_role'), 'DESTINATION_AUTH_FAILED'],
      ]
      for (const [change, code] of codes) {
        const url = new URL(scene.store.url)
        change(url)
        const destination = await connector.open({ url: url.href, context: testContext(() => {}) })
        await failure(code, destination.claim('s'))
        await destination.close()
      }
    }))

  test('a copy of the database is another store', () =>
    inScene(setup, 'copied', async (scene) => {
      const original = await scene.open()
      const { id } = await original.identity()
      await original.close()
      await inScene(setup, 'copy', async (other) => {
        const row = (await query(scene, 'select id::text from plimsoll.plimsoll_store')).flat()[0]
        const copy = await other.open()
        await copy.identity()
        await other.store.execute!(`update plimsoll.plimsoll_store set id = '${row}'`)
        await copy.close()
        expect((await (await other.open()).identity()).id).not.toBe(id)
      })
    }))

  test('two processes make store and schema at once', () =>
    inScene(setup, 'at once', async (scene) => {
      const destinations = await Promise.all(Array.from({ length: 4 }, () => scene.open()))
      const made = destinations.map((each, i) => {
        const target = { schema: 'fresh', name: `orders_${i}` }
        return each.prepare(ordersTable(scene, { stream: `s${i}`, target }), undefined)
      })
      expect(await Promise.all(made)).toEqual(made.map(() => ({ kind: 'created' })))
    }))
})

async function query(scene: Scene, text: string): Promise<string[][]> {
  const client = new pg.Client({ connectionString: scene.store.url })
  await client.connect()
  try {
    return (await client.query({ text, rowMode: 'array' })).rows
  } finally {
    await client.end()
  }
}
