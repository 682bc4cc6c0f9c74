import { describe, expect, test } from 'vitest'
import { setupOn, textStream } from '../../../test/support/postgres-destination.ts'
import { postgresServers } from '../../../test/support/servers.ts'
import { failure } from '../../testing/destination-expect.ts'
import { at, type TestRow } from '../../testing/destination-rows.ts'
import { inScene, type Scene } from '../../testing/destination-setup.ts'
import { column, ordersTable, startStream } from '../../testing/destination-stream.ts'

const T = '2026-03-01 10:00:00+00'
const row = (id: number, note = 'a'): TestRow => [`${id}`, T, note]

describe.each(postgresServers())('direct landing on PostgreSQL $major', (server) => {
  const setup = setupOn(server)

  test('each landing has its own readSeq, on one connection', () =>
    inScene(setup, 'direct seq', async (scene) => {
      const stream = await startStream(scene, await scene.open(), ordersTable(scene))
      for (const readSeq of [4, 7, 5]) {
        const receipt = await stream.land([], {
          stream: textStream([row(readSeq)]),
          readSeq,
          known: 'nothing_there',
        })
        expect(receipt.checksum).toMatch(/^rows:/)
      }
      const columns = [column('id', { name: 'int8' }), column('_plimsoll_seq', { name: 'int8' })]
      const rows = await scene.store.readRows(stream.table.target, columns)
      expect(rows.map((each) => each.join())).toEqual(['4,4', '7,7', '5,5'])
    }))

  test('rows of anybody else have no readSeq and are refused', () =>
    inScene(setup, 'foreign rows', async (scene) => {
      await startStream(scene, await scene.open(), ordersTable(scene))
      await expect(scene.store.execute!('insert into orders (id) values (1)')).rejects.toThrow(
        '_plimsoll_seq',
      )
    }))

  test('the key index comes after the first load and before anything is compared', () =>
    inScene(setup, 'index later', async (scene) => {
      const stream = await startStream(scene, await scene.open(), ordersTable(scene))
      await stream.land([], { stream: textStream([row(1), row(2)]), known: 'nothing_there' })
      await stream.land([], { stream: textStream([row(3)]), known: 'nothing_there' })
      expect(await indexes(scene)).toEqual([])
      const receipt = await stream.land([], { stream: textStream([row(2, 'b'), row(4)]) })
      expect([receipt.inserted, receipt.updated]).toEqual([1, 1])
      expect(await indexes(scene)).toHaveLength(1)
      await stream.destination.prepare(stream.table, await stream.claim())
      expect(await indexes(scene)).toHaveLength(1)
      const last = await stream.land([], { stream: textStream([row(5)]), known: 'nothing_there' })
      expect(last.inserted).toBe(1)
      await failure(
        'KEY_NOT_UNIQUE',
        stream.land([], { stream: textStream([row(5)]), known: 'nothing_there' }),
      )
    }))

  test('prepare makes the key index once rows are claimed, and names a key that is none', () =>
    inScene(setup, 'index by prepare', async (scene) => {
      const stream = await startStream(scene, await scene.open(), ordersTable(scene))
      await stream.land([], { stream: textStream([row(1), row(1)]), known: 'nothing_there' })
      const prepare = async () => stream.destination.prepare(stream.table, await stream.claim())
      await failure('KEY_NOT_UNIQUE', prepare())
      await scene.store.execute!('delete from orders where ctid in (select max(ctid) from orders)')
      await prepare()
      expect(await indexes(scene)).toHaveLength(1)
    }))

  test('the tail keys of a direct landing are found again', () =>
    inScene(setup, 'direct tail', async (scene) => {
      const columns = [
        column('note', { name: 'text' }),
        ...ordersTable(scene).columns.slice(0, 2),
        column('k', { name: 'text' }),
      ]
      const stream = await startStream(
        scene,
        await scene.open(),
        ordersTable(scene, { columns, key: ['k', 'id'] }),
      )
      const rows = [1, 2, 3, 4].map((id) => ['a\n"b"', `${id}`, T, `it's ${id},"\n`])
      await stream.land([], { stream: textStream(rows), known: 'nothing_there' })
      const keys = (await stream.claim()).tailKeys
      expect(keys.map((key) => JSON.parse(key)[1])).toEqual(['4', '3', '2'])
      expect(await stream.destination.hasAnyKey(stream.table, keys)).toBe(true)
      await scene.store.execute!('delete from orders where id > 1')
      expect(await stream.destination.hasAnyKey(stream.table, keys)).toBe(false)
    }))

  test('nothing to land costs no stage and few milliseconds', () =>
    inScene(setup, 'nothing', async (scene) => {
      const stream = await startStream(scene, await scene.open(), ordersTable(scene))
      const times: number[] = []
      for (let i = 0; i < 20; i++) {
        const startedAt = performance.now()
        await stream.land([], { upper: at('2026-03-02') })
        times.push(performance.now() - startedAt)
      }
      // Two round trips more than the landing itself; generous, for the machine may be busy.
      expect(Math.min(...times)).toBeLessThan(50)
    }))
})

async function indexes(scene: Scene): Promise<TestRow[]> {
  const target = { schema: 'pg_catalog', name: 'pg_indexes' }
  const names = [column('indexname', { name: 'text' }), column('tablename', { name: 'text' })]
  return (await scene.store.readRows(target, names)).filter((each) => each[1] === 'orders')
}
