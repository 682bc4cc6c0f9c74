import { describe, expect, test } from 'vitest'
import { FAILPOINTS, type Failpoint } from '../kernel/failpoint.ts'
import { at, type TestRow } from './destination-rows.ts'
import { type DestinationSetup, inScene } from './destination-setup.ts'
import { ordersTable, sorted, startStream } from './destination-stream.ts'

const BEFORE_COMMIT = [
  'land.staged',
  'land.counted',
  'land.merged',
  'land.claim_written',
  'land.commit_sent',
] as const
const OLD: readonly TestRow[] = [
  ['1', '2026-03-01 10:00:00', 'old'],
  ['2', '2026-03-01 10:00:00', 'stays'],
]
const NEW: readonly TestRow[] = [
  ['1', '2026-03-01 11:00:00', 'new'],
  ['3', '2026-03-01 11:00:00', 'more'],
]
const AFTER: readonly TestRow[] = [...NEW, OLD[1]!]
const W1 = at('2026-03-01 10:30:00')
const W2 = at('2026-03-01 12:00:00')

/** Rows and claim appear together or not at all, wherever a landing dies (spec E56, E74). */
export function crashTests(setup: DestinationSetup): void {
  describe('a landing that dies', () => {
    for (const failpoint of BEFORE_COMMIT) {
      test(`at ${failpoint} leaves neither rows nor claim; the next one lands`, () =>
        inScene(setup, failpoint, async (scene) => {
          const table = ordersTable(scene)
          await (await startStream(scene, await scene.open(), table)).land(OLD, { upper: W1 })
          const reached: Failpoint[] = []
          const dying = await startStream(scene, await scene.open(dieAt(failpoint, reached)), table)
          if (!dying.destination.capabilities.transactionalClaim) return
          await expect(dying.land(NEW, { upper: W2, batchId: 'lost' })).rejects.toThrow('killed')
          expect(reached).toEqual(FAILPOINTS.filter((name) => reached.includes(name)))
          await dying.destination.close()
          const next = await startStream(scene, await scene.open(), table)
          expect(await next.rows()).toEqual(sorted(OLD))
          expect((await next.claim()).watermark).toEqual(W1)
          expect(await next.destination.receiptOf(table.stream, 'lost')).toBeUndefined()
          await next.land(NEW, { upper: W2 })
          expect(await next.rows()).toEqual(sorted(AFTER))
        }))
    }

    test('at land.committed leaves rows and claim, found by the batch id', () =>
      inScene(setup, 'committed', async (scene) => {
        const table = ordersTable(scene)
        await (await startStream(scene, await scene.open(), table)).land(OLD, { upper: W1 })
        const dying = await startStream(scene, await scene.open(dieAt('land.committed', [])), table)
        await expect(dying.land(NEW, { upper: W2, batchId: 'kept' })).rejects.toThrow('killed')
        await dying.destination.close()
        const next = await startStream(scene, await scene.open(), table)
        expect(await next.rows()).toEqual(sorted(AFTER))
        expect((await next.claim()).watermark).toEqual(W2)
        expect(await next.destination.receiptOf(table.stream, 'kept')).toMatchObject({
          batchId: 'kept',
          rowsRead: 2,
        })
      }))

    test('reaches every failpoint of its kind, in order', () =>
      inScene(setup, 'all failpoints', async (scene) => {
        const reached: Failpoint[] = []
        const stream = await startStream(
          scene,
          await scene.open((name) => void reached.push(name)),
          ordersTable(scene),
        )
        await stream.land(OLD, { upper: W1 })
        expect(reached.filter((name) => name.startsWith('land.'))).toEqual([
          ...BEFORE_COMMIT,
          'land.committed',
        ])
      }))
  })
}

function dieAt(failpoint: Failpoint, reached: Failpoint[]): (name: Failpoint) => void {
  return (name) => {
    reached.push(name)
    if (name === failpoint) throw new Error(`killed at ${name}`)
  }
}
