import { describe, expect, test } from 'vitest'
import { failure } from './destination-expect.ts'
import type { TestRow } from './destination-rows.ts'
import { type DestinationSetup, inScene, type Scene } from './destination-setup.ts'
import { ordersTable, sorted, startStream } from './destination-stream.ts'

const T = '2026-03-01 10:00:00'
const row = (note: string | null, id = '1'): TestRow => [id, T, note]

/** History keeps each version that a run saw, once (spec E54). */
export function historyTests(setup: DestinationSetup): void {
  describe('history', () => {
    test('A, B, A in one tick over three runs are three versions (E54)', () =>
      inHistory('history aba', async (scene) => {
        const stream = await startStream(scene, await scene.open(), ordersTable(scene, { mode: 'history' }))
        for (const note of ['A', 'B', 'A']) {
          const receipt = await stream.land([row(note), row(note, '2')])
          expect([receipt.inserted, receipt.updated]).toEqual([2, 0])
        }
        const expected = ['A', 'B', 'A'].flatMap((note) => [row(note), row(note, '2')])
        expect(await stream.rows()).toEqual(sorted(expected))
      }))

    test('unchanged rows add no version, and a slice lands twice as once', () =>
      inHistory('history twice', async (scene) => {
        const stream = await startStream(scene, await scene.open(), ordersTable(scene, { mode: 'history' }))
        await stream.land([row('A'), row(null, '2')], { readSeq: 1 })
        await stream.land([row('B'), row(null, '2')], { readSeq: 2 })
        for (const readSeq of [2, 3]) {
          const receipt = await stream.land([row('B'), row(null, '2')], { readSeq })
          expect([receipt.inserted, receipt.updated, receipt.unchanged]).toEqual([0, 0, 2])
        }
        expect(await stream.rows()).toEqual(sorted([row('A'), row('B'), row(null, '2')]))
      }))

    test('an older read that lands late adds nothing', () =>
      inHistory('history late', async (scene) => {
        const stream = await startStream(scene, await scene.open(), ordersTable(scene, { mode: 'history' }))
        await stream.land([row('A'), row('A', '2')], { readSeq: 1 })
        await stream.land([row('A'), row('C', '2')], { readSeq: 3 })
        const late = await stream.land([row('B'), row('B', '2')], { readSeq: 2 })
        expect([late.inserted, late.updated]).toEqual([0, 0])
        expect(await stream.rows()).toEqual(sorted([row('A'), row('A', '2'), row('C', '2')]))
      }))

    test('twice the same key with different content is no history', () =>
      inHistory('history key twice', async (scene) => {
        const stream = await startStream(scene, await scene.open(), ordersTable(scene, { mode: 'history' }))
        await failure('KEY_NOT_UNIQUE', stream.land([row('A'), row('B')]))
        expect(await stream.rows()).toEqual([])
      }))
  })

  const inHistory = (name: string, run: (scene: Scene) => Promise<void>) =>
    inScene(setup, name, async (scene) => {
      if ((await scene.open()).capabilities.modes.includes('history')) await run(scene)
    })
}
