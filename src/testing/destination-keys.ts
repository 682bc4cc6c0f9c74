import { describe, expect, test } from 'vitest'
import type { TargetTable } from '../destinations/destination.ts'
import { failure } from './destination-expect.ts'
import { at, type TestRow } from './destination-rows.ts'
import { type DestinationSetup, inScene, type Scene } from './destination-setup.ts'
import { column, ordersTable, sorted, startStream } from './destination-stream.ts'

const T = '2026-03-01 10:00:00'

/** Keys compare as bytes; NULL and repetition in a key are named (spec E53, E55). */
export function keyTests(setup: DestinationSetup): void {
  describe('keys', () => {
    test('keys compare as bytes (E55)', () =>
      inScene(setup, 'keys as bytes', async (scene) => {
        const columns = [column('k', { name: 'text' }, false), column('at', { name: 'timestamptz' })]
        const stream = await startStream(
          scene,
          await scene.open(),
          ordersTable(scene, { columns, key: ['k'] }),
        )
        const rows = ['a', 'A', 'a ', 'ä', 'a\u0308', '', '1', '01', "'"].map((key) => [key, T])
        for (let run = 0; run < 2; run++) await stream.land(rows)
        expect(await stream.rows()).toEqual(sorted(rows))
      }))

    test('twice the same key with different content: KEY_NOT_UNIQUE (E53)', () =>
      inScene(setup, 'key twice', async (scene) => {
        const stream = await startStream(scene, await scene.open(), ordersTable(scene))
        const rows = [
          ['4711', T, 'a'],
          ['2', T, 'b'],
          ['4711', T, 'c'],
        ]
        const error = await failure('KEY_NOT_UNIQUE', stream.land(rows))
        expect(`${error.message} ${JSON.stringify(error.context)}`).toContain('4711')
        expect(await stream.rows()).toEqual([])
      }))

    test('twice the same key with the same content is one row', () =>
      inScene(setup, 'row twice', async (scene) => {
        const stream = await startStream(scene, await scene.open(), ordersTable(scene))
        const receipt = await stream.land([
          ['1', T, 'a'],
          ['1', T, 'a'],
          ['2', T, null],
          ['2', T, null],
        ])
        expect(await stream.rows()).toEqual([
          ['1', T, 'a'],
          ['2', T, null],
        ])
        expect(receipt.rowsRead).toBe(4)
        expect(receipt.inserted + receipt.updated + receipt.unchanged).toBe(4)
      }))

    test('NULL in a key: KEY_NULL (STATE-9)', () =>
      inScene(setup, 'key null', async (scene) => {
        const stream = await startStream(scene, await scene.open(), pairTable(scene, 'refuse'))
        const error = await failure(
          'KEY_NULL',
          stream.land([
            ['1', '2', T, 'x'],
            ['4711', null, T, 'y'],
          ]),
        )
        expect(`${error.message} ${JSON.stringify(error.context)}`).toContain('4711')
        expect(await stream.rows()).toEqual([])
      }))

    test('nullKeys: match takes NULL for a value (STATE-9)', () =>
      inScene(setup, 'null keys match', async (scene) => {
        const stream = await startStream(scene, await scene.open(), pairTable(scene, 'match'))
        for (let run = 0; run < 2; run++)
          await stream.land([
            ['1', null, T, 'a'],
            ['1', '', T, 'b'],
          ])
        expect(await stream.rows()).toHaveLength(2)
        const update = await stream.land([['1', null, T, 'changed']])
        expect([update.inserted, update.updated]).toEqual([0, 1])
        expect(await stream.rows()).toEqual(
          sorted([
            ['1', null, T, 'changed'],
            ['1', '', T, 'b'],
          ]),
        )
        expect(await stream.destination.hasAnyKey(stream.table, (await stream.claim()).tailKeys)).toBe(true)
      }))

    test('without a key the landed range is replaced (E55)', () =>
      inScene(setup, 'append only', async (scene) => {
        const table = ordersTable(scene, { key: [], appendOnly: true })
        const stream = await startStream(scene, await scene.open(), table)
        const day = (d: string, note: string): TestRow => ['1', `2026-03-0${d} 00:00:00`, note]
        await stream.land([day('1', 'x'), day('1', 'x'), day('2', 'y')], { upper: at('2026-03-03') })
        expect(await stream.rows()).toEqual(sorted([day('1', 'x'), day('1', 'x'), day('2', 'y')]))
        const again = [day('2', 'y'), day('2', 'z'), day('3', 'w')]
        await stream.land(again, { lower: at('2026-03-02'), upper: at('2026-03-04') })
        expect(await stream.rows()).toEqual(sorted([day('1', 'x'), day('1', 'x'), ...again]))
        await stream.land([], { lower: at('2026-03-02'), upper: at('2026-03-04') })
        expect(await stream.rows()).toEqual(sorted([day('1', 'x'), day('1', 'x')]))
      }))

    test('the tail keys of the claim are in the target (E60)', () =>
      inScene(setup, 'tail keys', async (scene) => {
        const { destination, table, land, claim } = await startStream(
          scene,
          await scene.open(),
          ordersTable(scene),
        )
        await land(Array.from({ length: 9 }, (_, i) => [`${i}`, `2026-03-01 10:00:0${i}`, 'x']))
        const keys = (await claim()).tailKeys
        expect(keys.length).toBeGreaterThan(0)
        expect(keys.length).toBeLessThan(4)
        expect(await destination.hasAnyKey(table, keys)).toBe(true)
        expect(await destination.hasAnyKey(table, [])).toBe(true)
        const absent = { ...table, target: { ...table.target, name: 'absent' } }
        for (const none of [keys, []]) expect(await destination.hasAnyKey(absent, none)).toBe(false)
        await land([])
        expect((await claim()).tailKeys).toEqual(keys)
      }))

    test('a restored copy lacks the tail keys (STATE-3)', async (context) =>
      inScene(setup, 'tail keys gone', async (scene) => {
        if (!scene.store.execute) return context.skip()
        const { destination, table, land, claim } = await startStream(
          scene,
          await scene.open(),
          ordersTable(scene),
        )
        await land([
          ['1', T, 'x'],
          ['2', '2026-03-01 10:00:05', 'x'],
        ])
        await land([['8', '2026-03-01 10:00:09', 'x']])
        await scene.store.execute(`delete from "${scene.store.schema}"."orders" where "id" > 2`)
        expect(await destination.hasAnyKey(table, (await claim()).tailKeys)).toBe(false)
      }))
  })
}

function pairTable(scene: Scene, nullKeys: TargetTable['nullKeys']): TargetTable {
  const columns = [
    column('a', { name: 'int8' }),
    column('b', { name: 'text' }),
    column('at', { name: 'timestamptz' }),
    column('note', { name: 'text' }),
  ]
  return ordersTable(scene, { columns, key: ['a', 'b'], nullKeys })
}
