import { describe, expect, test } from 'vitest'
import { PlimsollError } from '../kernel/errors.ts'
import type { Failpoint } from '../kernel/failpoint.ts'
import { failure } from './destination-expect.ts'
import { at } from './destination-rows.ts'
import { type DestinationSetup, inScene } from './destination-setup.ts'
import { column, ordersTable, sorted, startStream } from './destination-stream.ts'

const ROW = ['1', '2026-03-01 10:00:00', 'a'] as const

/** Making the table, widening it, and leaving alone what is not ours (spec E61, E67, STATE-4). */
export function prepareTests(setup: DestinationSetup): void {
  describe('prepare', () => {
    test('creates once, then leaves unchanged', () =>
      inScene(setup, 'prepare twice', async (scene) => {
        const destination = await scene.open()
        const table = ordersTable(scene)
        expect(await destination.prepare(table, undefined)).toEqual({ kind: 'created' })
        await startStream(scene, destination, table)
        expect(await destination.prepare(table, await destination.claim(table.stream))).toEqual({
          kind: 'unchanged',
        })
      }))

    test('an empty table that a crash left before its first claim is taken', () =>
      inScene(setup, 'prepare after crash', async (scene) => {
        const table = ordersTable(scene)
        await (await scene.open()).prepare(table, undefined)
        expect((await (await scene.open()).prepare(table, undefined)).kind).toBe('unchanged')
      }))

    test('names with quotes, blanks and capitals are names', () =>
      inScene(setup, 'odd names', async (scene) => {
        const target = { schema: scene.store.schema, name: `Or"der's Ä` }
        const columns = [
          column('Select', { name: 'int8' }, false),
          column('the "at"', { name: 'timestamptz' }),
        ]
        const order = { ...ordersTable(scene).order, column: 'the "at"' }
        const table = ordersTable(scene, { target, columns, key: ['Select'], order })
        const stream = await startStream(scene, await scene.open(), table)
        await stream.land([['1', '2026-03-01 10:00:00']])
        await stream.land([['1', '2026-03-01 11:00:00']])
        expect(await stream.rows()).toHaveLength(1)
      }))

    test.each(['upsert', 'history'] as const)(
      'columns may be called as a statement calls things: %s',
      (mode) =>
        inScene(setup, `columns like aliases ${mode}`, async (scene) => {
          const names = 'a b c e k m n r s t u x at key keys newest place row rows seq merged numbered'.split(
            ' ',
          )
          const columns = [
            column('t', { name: 'int8' }, false),
            column('s', { name: 'timestamptz' }),
            ...names
              .filter((name) => !['s', 't'].includes(name))
              .map((name) => column(name, { name: 'text' })),
          ]
          const order = { ...ordersTable(scene).order, column: 's' }
          const table = ordersTable(scene, { columns, key: ['t'], order, mode })
          const stream = await startStream(scene, await scene.open(), table)
          const row = (id: string, time: string, text: string) => [
            id,
            `2026-03-01 ${time}:00`,
            ...columns.slice(2).map(() => text),
          ]
          await stream.land([row('1', '10:00', 'old'), row('2', '10:00', 'old')])
          const again = [row('1', '11:00', 'new'), row('2', '10:00', 'old'), row('3', '10:00', 'late')]
          await stream.land([...again, ...again], { classBelow: at('2026-03-01 10:30:00') })
          expect(await stream.rows()).toEqual(
            sorted(mode === 'upsert' ? again : [row('1', '10:00', 'old'), ...again]),
          )
        }),
    )

    test('a table whose name differs from another one in case only has its own rows, or is refused', () =>
      inScene(setup, 'case twins', async (scene) => {
        const destination = await scene.open()
        const lower = ordersTable(scene)
        const stream = await startStream(scene, destination, lower)
        await stream.land([ROW])
        const { schema, name } = lower.target
        const upper = { ...lower, stream: 'twin', target: { schema, name: name.toUpperCase() } }
        const outcome = await destination.prepare(upper, undefined).then(
          ({ kind }) => kind,
          (error: unknown) => (error instanceof PlimsollError ? error.code : error),
        )
        expect(['created', 'DESTINATION_TABLE_MISMATCH']).toContain(outcome)
        expect(await stream.rows()).toEqual([ROW])
      }))

    test('a new column is added and older rows hold NULL in it (E67)', () =>
      inScene(setup, 'new column', async (scene) => {
        const destination = await scene.open()
        const table = ordersTable(scene)
        const stream = await startStream(scene, destination, table)
        await stream.land([ROW])
        const wide = { ...table, columns: [...table.columns, column('c', { name: 'int4' })] }
        const prepared = await destination.prepare(wide, await stream.claim())
        expect(prepared).toEqual({ kind: 'columns_added', columns: ['c'] })
        await stream.land([['2', '2026-03-01 10:00:01', 'b', '7']], { table: wide })
        const rows = await scene.store.readRows(wide.target, wide.columns)
        expect(new Set(rows.map((row) => row[3]))).toEqual(new Set([null, '7']))
      }))

    test('killed after altering: the column is there once (E74)', () =>
      inScene(setup, 'killed altering', async (scene) => {
        const table = ordersTable(scene)
        await startStream(scene, await scene.open(), table)
        const wide = { ...table, columns: [...table.columns, column('c', { name: 'int4' })] }
        const reached: Failpoint[] = []
        const dying = await scene.open((name) => {
          reached.push(name)
          throw new Error('killed')
        })
        await expect(dying.prepare(wide, await dying.claim(table.stream))).rejects.toThrow('killed')
        expect(reached).toEqual(['schema.destination_altered'])
        await dying.close()
        const next = await scene.open()
        await next.prepare(wide, await next.claim(table.stream))
        expect((await next.prepare(wide, await next.claim(table.stream))).kind).toBe('unchanged')
      }))

    test('a column of another type is a mismatch, by name', () =>
      inScene(setup, 'other type', async (scene) => {
        const destination = await scene.open()
        const table = ordersTable(scene)
        const stream = await startStream(scene, destination, table)
        await stream.land([ROW])
        const columns = [...table.columns.slice(0, 2), column('note', { name: 'int4' })]
        const claim = await destination.claim(table.stream)
        const error = await failure(
          'DESTINATION_TABLE_MISMATCH',
          destination.prepare({ ...table, columns }, claim),
        )
        expect(error.message).toContain('note')
      }))

    test('while nothing has landed a column may become text, as refusals advise (E75)', () =>
      inScene(setup, 'retyped', async (scene) => {
        const destination = await scene.open()
        const orders = ordersTable(scene)
        const columns = [...orders.columns.slice(0, 2), column('note', { name: 'int4' })]
        const table = { ...orders, columns, asText: [] as readonly string[] }
        const stream = await startStream(scene, destination, table)
        const asText = { ...table, asText: ['note'] }
        await destination.prepare(asText, await stream.claim())
        await stream.land([ROW], { table: asText, known: 'nothing_there' })
        expect(await scene.store.readRows(table.target, orders.columns)).toEqual([[...ROW]])
      }))

    test('another column of the target that the source lacks is a mismatch', () =>
      inScene(setup, 'column gone', async (scene) => {
        const destination = await scene.open()
        const table = ordersTable(scene)
        await startStream(scene, destination, table)
        const columns = table.columns.slice(0, 2)
        const claim = await destination.claim(table.stream)
        const error = await failure(
          'DESTINATION_TABLE_MISMATCH',
          destination.prepare({ ...table, columns }, claim),
        )
        expect(error.message).toContain('note')
      }))

    test('rows without a claim are not ours (STATE-4)', async (context) =>
      inScene(setup, 'not ours', async (scene) => {
        if (!scene.store.execute) return context.skip()
        const table = ordersTable(scene)
        const destination = await scene.open()
        await scene.store.execute(
          `create table "${scene.store.schema}"."orders" ("id" bigint, "note" varchar)`,
        )
        await scene.store.execute(`insert into "${scene.store.schema}"."orders" values (1, 'mine')`)
        const error = await failure('DESTINATION_NOT_OURS', destination.prepare(table, undefined))
        expect(error.hint).toMatch(/another table[\s\S]*empty this one/)
      }))

    test('a deleted catalog changes nothing: the claim is found beside the data (E61)', () =>
      inScene(setup, 'catalog gone', async (scene) => {
        const table = ordersTable(scene)
        const stream = await startStream(scene, await scene.open(), table)
        await stream.land([ROW])
        const again = await startStream(scene, await scene.open(), table)
        const receipt = await again.land([ROW])
        expect([receipt.inserted, receipt.updated, receipt.unchanged]).toEqual([0, 0, 1])
      }))
  })
}
