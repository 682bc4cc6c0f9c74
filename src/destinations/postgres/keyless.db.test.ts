import { describe, expect, test } from 'vitest'
import { setupOn } from '../../../test/support/postgres-destination.ts'
import { postgresServers } from '../../../test/support/servers.ts'
import { at, type TestRow } from '../../testing/destination-rows.ts'
import { inScene, type Scene } from '../../testing/destination-setup.ts'
import {
  column,
  landingOf,
  ordersTable,
  sorted,
  startStream,
  type TestStream,
} from '../../testing/destination-stream.ts'

const day = (d: number, note: string | null): TestRow => ['1', `2026-03-0${d} 00:00:00`, note]

describe.each(postgresServers())('without key, or with NULL in it, on PostgreSQL $major (E55)', (server) => {
  const setup = setupOn(server)

  test('a range read again, equal, writes nothing; its classes are counted', () =>
    inScene(setup, 'range again', async (scene) => {
      const stream = await startStream(
        scene,
        await scene.open(),
        ordersTable(scene, { key: [], appendOnly: true }),
      )
      const upper = at('2026-03-05')
      const rows = [day(1, 'x'), day(1, 'x'), day(2, null)]
      await stream.land(rows, { upper })
      const place = () => scene.store.readRows(stream.table.target, [column('ctid', { name: 'text' })])
      const before = await place()
      const again = await stream.land(rows, { upper, classBelow: upper })
      expect([again.inserted, again.unchanged]).toEqual([0, 3])
      expect(again.classes).toMatchObject({ reprocessed: 3, late: 0 })
      expect(await place()).toEqual(before)
      const more = await stream.land([...rows, day(1, 'x'), day(2, '')], {
        upper,
        classBelow: at('2026-03-02'),
      })
      expect([more.inserted, more.unchanged]).toEqual([2, 3])
      expect(more.classes).toMatchObject({ fresh: 2, reprocessed: 2, late: 1 })
      expect(more.lateRows).toEqual([
        { key: [], position: { kind: 'timestamptz', value: String(at('2026-03-01').value) } },
      ])
      expect(await stream.rows()).toEqual(sorted([...rows, day(1, 'x'), day(2, '')]))
    }))

  test('rows without a range land twice as once', () =>
    inScene(setup, 'lane without key', async (scene) => {
      const stream = await startStream(
        scene,
        await scene.open(),
        ordersTable(scene, { key: [], appendOnly: true }),
      )
      await stream.land([day(1, 'x')], { upper: at('2026-03-05') })
      const lane: TestRow[] = [
        ['9', null, 'a'],
        ['9', null, 'a'],
        ['9', null, 'b'],
      ]
      for (const inserted of [3, 0]) {
        const receipt = await laneLanding(stream, lane)
        expect(receipt.inserted).toBe(inserted)
        expect(await stream.rows()).toEqual(sorted([day(1, 'x'), ...lane]))
      }
    }))

  test.each(['upsert', 'history'] as const)('nullKeys: match in %s: NULL is a value', (mode) =>
    inScene(setup, `match ${mode}`, async (scene) => {
      const stream = await startStream(scene, await scene.open(), pairTable(scene, mode))
      const T = '2026-03-01 10:00:00'
      await stream.land([
        ['1', null, T, 'a'],
        ['1', '', T, 'b'],
        [null, null, T, 'c'],
      ])
      const change = await stream.land([
        ['1', null, T, 'A'],
        ['1', '', T, 'b'],
        [null, null, T, 'c'],
        [null, '', T, 'd'],
      ])
      expect([change.inserted, change.updated, change.unchanged]).toEqual(
        mode === 'upsert' ? [1, 1, 2] : [2, 0, 2],
      )
      const again = await stream.land(
        [
          ['1', null, T, 'A'],
          [null, null, T, 'c'],
        ],
        { classBelow: at('2026-03-02') },
      )
      expect(again.classes.reprocessed).toBe(2)
      expect(await stream.rows()).toHaveLength(mode === 'upsert' ? 4 : 5)
    }),
  )
})

/** A landing without range, as a lane's. */
async function laneLanding(stream: TestStream, rows: readonly TestRow[]) {
  const landing = landingOf(stream.table, rows, await stream.claim(), { purpose: 'lane' })
  return stream.destination.land({ ...landing, range: undefined })
}

function pairTable(scene: Scene, mode: 'upsert' | 'history') {
  const columns = [
    column('a', { name: 'int8' }),
    column('b', { name: 'text' }),
    column('at', { name: 'timestamptz' }),
    column('note', { name: 'text' }),
  ]
  return ordersTable(scene, { columns, key: ['a', 'b'], nullKeys: 'match', mode })
}
