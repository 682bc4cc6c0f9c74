import { describe, expect, test } from 'vitest'
import { positionToJson } from '../kernel/position.ts'
import { at, csvOf, type TestRow } from './destination-rows.ts'
import { type DestinationSetup, inScene } from './destination-setup.ts'
import { ordersTable, startStream } from './destination-stream.ts'

const ROWS: readonly TestRow[] = [
  ['1', '2026-03-01 10:00:00', 'a'],
  ['2', '2026-03-01 10:00:01', 'b'],
  ['3', null, 'c'],
]

/** The receipt proves what landed, and the batch is found again (spec E58, E59). */
export function receiptTests(setup: DestinationSetup): void {
  describe('receipt', () => {
    test('says what landed, where, and between which claims (E58)', () =>
      inScene(setup, 'receipt', async (scene) => {
        const destination = await scene.open()
        const stream = await startStream(scene, destination, ordersTable(scene))
        await stream.land([], { upper: at('2026-02-28') })
        const receipt = await stream.land(ROWS, { upper: at('2026-03-02'), batchId: 'b-7', readSeq: 7 })
        expect(receipt).toMatchObject({
          batchId: 'b-7',
          stream: 'suite.orders',
          generation: 1,
          readSeq: 7,
          rowsRead: 3,
          byteSize: Buffer.byteLength(csvOf(ROWS)),
          inserted: 3,
          claimBefore: positionToJson(at('2026-02-28')),
          claimAfter: positionToJson(at('2026-03-02')),
          destinationId: (await destination.identity()).id,
        })
        if (destination.capabilities.transactionalClaim) expect(receipt.durability).toBe('committed')
        for (const ms of [receipt.stageMs, receipt.mergeMs, receipt.commitMs])
          expect(ms).toBeGreaterThanOrEqual(0)
      }))

    test('the checksum is over keys and positions, in any order', () =>
      inScene(setup, 'checksum', async (scene) => {
        const stream = await startStream(scene, await scene.open(), ordersTable(scene))
        const first = (await stream.land(ROWS)).checksum
        expect((await stream.land([...ROWS].reverse())).checksum).toBe(first)
        const otherNotes = ROWS.map(([id, position]) => [id!, position!, 'other'])
        expect((await stream.land(otherNotes)).checksum).toBe(first)
        const otherKey: TestRow[] = [['4', ROWS[0]![1]!, 'a'], ...ROWS.slice(1)]
        expect((await stream.land(otherKey)).checksum).not.toBe(first)
        const otherPosition: TestRow[] = [['1', '2026-03-01 10:00:00.000001', 'a'], ...ROWS.slice(1)]
        expect((await stream.land(otherPosition)).checksum).not.toBe(first)
      }))

    test('a batch is found by its id, and only by that (E59)', () =>
      inScene(setup, 'batch', async (scene) => {
        const destination = await scene.open()
        const stream = await startStream(scene, destination, ordersTable(scene))
        const receipt = await stream.land(ROWS, { batchId: 'there' })
        expect(await destination.receiptOf('suite.orders', 'there')).toMatchObject({
          ...receipt,
          commitMs: expect.any(Number),
        })
        expect(await destination.receiptOf('suite.orders', 'elsewhere')).toBeUndefined()
        expect(await destination.receiptOf('suite.others', 'there')).toBeUndefined()
        await stream.land([], { batchId: 'next' })
        expect(await destination.receiptOf('suite.orders', 'there')).toBeUndefined()
      }))

    test('sweeping twice finds nothing the second time, and harms no data', () =>
      inScene(setup, 'sweep', async (scene) => {
        const destination = await scene.open()
        const stream = await startStream(scene, destination, ordersTable(scene))
        await stream.land(ROWS)
        await destination.sweep()
        expect(await destination.sweep()).toEqual([])
        expect(await stream.rows()).toHaveLength(ROWS.length)
      }))
  })
}
