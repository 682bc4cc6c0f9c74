import { describe, expect, test } from 'vitest'
import { setupOn, textStream } from '../../../test/support/postgres-destination.ts'
import { postgresServers } from '../../../test/support/servers.ts'
import { failure } from '../../testing/destination-expect.ts'
import { csvOf, rawStream, type TestRow } from '../../testing/destination-rows.ts'
import { inScene } from '../../testing/destination-setup.ts'
import { column, ordersTable, startStream } from '../../testing/destination-stream.ts'

const T = '2026-03-01 10:00:00+00'
const TEN: TestRow[] = Array.from({ length: 10 }, (_, i) => [
  `10${i}`,
  T,
  i === 6 ? 'bad\n"one"' : `fine\n${i}`,
])

/** What makes the target refuse the seventh row, and how to take it back. */
const OBSTACLES: Readonly<Record<string, readonly [string, string]>> = {
  check: [
    `alter table orders add constraint no_bad check (note not like 'bad%')`,
    'alter table orders drop constraint no_bad',
  ],
  trigger: [
    `create function refuse() returns trigger language plpgsql as $$ begin
       if new.note like 'bad%' then raise exception 'not this one'; end if; return new; end $$;
     create trigger refuse before insert on orders for each row execute function refuse()`,
    'drop trigger refuse on orders',
  ],
  'foreign key': [
    `create table parents (note text primary key);
     insert into parents select E'fine\\n' || i from generate_series(0, 9) i;
     alter table orders add constraint parent foreign key (note) references parents`,
    'alter table orders drop constraint parent',
  ],
}

describe.each(postgresServers())('refused rows on PostgreSQL $major', (server) => {
  const setup = setupOn(server)

  test.each(Object.entries(OBSTACLES))('%s: nothing of the slice, the key in the error (STATE-2)', (_, sql) =>
    inScene(setup, 'refused', async (scene) => {
      const stream = await startStream(scene, await scene.open(), ordersTable(scene))
      await scene.store.execute!(sql[0])
      const before = await stream.claim()
      for (const known of ['nothing_there', 'anything'] as const) {
        const landing = stream.land([], { stream: textStream(TEN), known })
        const error = await failure('DESTINATION_REFUSED_ROW', landing)
        // A foreign key is checked when COPY has ended: no line is named, but the value is.
        const isNamed = sql[0].includes('references') && known === 'nothing_there'
        if (isNamed) expect(error.context.detail).toContain('bad')
        else expect(error.context.key).toEqual(['106'])
        expect(JSON.stringify(error.context)).not.toContain('fine')
      }
      expect(await stream.rows()).toEqual([])
      expect(await stream.claim()).toEqual(before)
      await scene.store.execute!(sql[1])
      await stream.land([], { stream: textStream(TEN) })
      expect(await stream.rows()).toHaveLength(10)
    }),
  )

  test.each(['nothing_there', 'anything'] as const)(
    'a value of another type is named by column, key and text (%s)',
    (known) =>
      inScene(setup, 'not a number', async (scene) => {
        const columns = [
          column('note', { name: 'text' }),
          column('id', { name: 'int8' }, false),
          column('odd, "n"', { name: 'int4' }),
          column('at', { name: 'timestamptz' }),
        ]
        const stream = await startStream(scene, await scene.open(), ordersTable(scene, { columns }))
        const rows = [
          ['a\nb', '1', '5', T],
          ['"\n', '4711', '12x', T],
          ['c', '3', '6', T],
        ]
        const error = await failure(
          'VALUE_NOT_REPRESENTABLE',
          stream.land([], { stream: textStream(rows), known }),
        )
        expect(error.context).toMatchObject({ column: 'odd, "n"', key: ['4711'], text: '12x' })
        expect(error.hint).toContain('odd, "n": text')
      }),
  )

  test.each(['nothing_there', 'anything'] as const)('a NUL byte in a text is refused by name (%s)', (known) =>
    inScene(setup, 'nul byte', async (scene) => {
      const stream = await startStream(scene, await scene.open(), ordersTable(scene))
      const rows = [
        ['1', T, 'a'],
        ['4711', T, 'x\0y'],
        ['3', T, 'c'],
      ]
      const error = await failure(
        'VALUE_NOT_REPRESENTABLE',
        stream.land([], { stream: textStream(rows), known }),
      )
      expect(error.context).toMatchObject({ column: 'note', key: ['4711'], text: 'x\0y' })
      expect(await stream.rows()).toEqual([])
    }),
  )

  test("a source that fails with PostgreSQL's own codes is not taken for the destination", () =>
    inScene(setup, 'source error', async (scene) => {
      const stream = await startStream(scene, await scene.open(), ordersTable(scene))
      const failed = Object.assign(new Error('canceling statement'), { code: '57014' })
      for (const text of [csvOf(TEN), '']) {
        const broken = rawStream(Buffer.from(text), 10, failed)
        await expect(stream.land([], { stream: broken })).rejects.toBe(failed)
      }
    }))

  test('a key that is NULL stops a direct landing as well', () =>
    inScene(setup, 'direct null key', async (scene) => {
      const stream = await startStream(scene, await scene.open(), ordersTable(scene))
      const rows = [
        ['1', T, 'a'],
        [null, T, 'b'],
      ]
      await failure('KEY_NULL', stream.land([], { stream: textStream(rows), known: 'nothing_there' }))
    }))

  test('digits that the declared scale has no room for are not rounded away', () =>
    inScene(setup, 'rounding', async (scene) => {
      const v = column('v', { name: 'numeric', precision: 10, scale: 2 })
      const columns = [column('id', { name: 'int8' }, false), column('at', { name: 'timestamptz' }), v]
      const stream = await startStream(scene, await scene.open(), ordersTable(scene, { columns }))
      const error = await failure(
        'VALUE_NOT_REPRESENTABLE',
        stream.land([
          ['1', T, '1.10'],
          ['4711', T, '1.005'],
        ]),
      )
      expect(error.context).toMatchObject({ column: 'v', key: ['4711'], text: '1.005' })
    }))
})
