import { describe, expect, test } from 'vitest'
import type { CompletenessFacts } from '../kernel/completeness.ts'
import type { Failpoint } from '../kernel/failpoint.ts'
import { at, type TestRow } from './destination-rows.ts'
import { type DestinationSetup, inScene } from './destination-setup.ts'
import { firstClaim, ordersTable, startStream } from './destination-stream.ts'

const W1 = at('2026-03-01 10:30:00')
const W2 = at('2026-03-01 12:00:00')
const OLD: readonly TestRow[] = [['1', '2026-03-01 10:00:00', 'old']]
const NEW: readonly TestRow[] = [['2', '2026-03-01 11:00:00', 'new']]
const STREAM = 'suite.orders'

const factsOf = (changes: Partial<CompletenessFacts> = {}): string =>
  JSON.stringify({
    completeness: {
      pipeline: 'shop',
      completeThroughUs: null,
      overlapUs: '300000000',
      fenceTakenUs: '1772359200000001',
      decreeCount: 0,
      marks: [],
      ...changes,
    },
  })

/** `plimsoll_watermarks`: the claim for people who have SQL only, true whenever the claim is (spec A56). */
export function watermarkTests(setup: DestinationSetup): void {
  describe('plimsoll_watermarks', () => {
    test('holds what the claim says, to the µs; a claim that says nothing has no row', () =>
      inScene(setup, 'watermark row', async (scene) => {
        const destination = await scene.open()
        expect(await destination.watermarks()).toEqual([])
        const facts = factsOf({ completeThroughUs: '1772361000000009', decreeCount: 2 })
        await destination.writeClaim(firstClaim('silent'), undefined)
        await destination.writeClaim(
          firstClaim(STREAM, { watermark: W1, proof: 'measured', generation: 3, facts }),
          undefined,
        )
        expect(await (await scene.open()).watermarks()).toEqual([
          {
            pipeline: 'shop',
            stream: STREAM,
            generation: 3,
            watermark: '2026-03-01 10:30:00.000000Z',
            completeThroughUs: '1772361000000009',
            proof: 'measured',
            fenceTakenUs: '1772359200000001',
            overlapUs: '300000000',
            lostRowCount: 0,
            decreeCount: 2,
            heldBy: null,
            recordHash: null,
          },
        ])
      }))

    test('before the first range nothing is complete', () =>
      inScene(setup, 'no watermark', async (scene) => {
        const destination = await scene.open()
        const facts = factsOf({ overlapUs: null, fenceTakenUs: null })
        await destination.writeClaim(firstClaim(STREAM, { facts }), undefined)
        expect(await destination.watermarks()).toMatchObject([
          { watermark: '-∞', completeThroughUs: null, fenceTakenUs: null, overlapUs: null },
        ])
      }))

    test('what audits note stays when the claim moves; who held it does not', () =>
      inScene(setup, 'watermark notes', async (scene) => {
        const destination = await scene.open()
        await destination.noteCompleteness(STREAM, { lostRowCount: 9 })
        const claim = firstClaim(STREAM, { watermark: W1, facts: factsOf() })
        await destination.writeClaim(claim, undefined)
        const note = { lostRowCount: 3, decreeCount: 1, heldBy: 'pid 7', recordHash: 'abc' }
        await destination.noteCompleteness(STREAM, note)
        await destination.noteCompleteness('nobody', note)
        await destination.noteCompleteness(STREAM, {})
        expect(await destination.watermarks()).toMatchObject([note])
        const raised = { ...claim, epoch: 2 }
        await destination.writeClaim(raised, claim)
        expect(await destination.watermarks()).toMatchObject([{ ...note, decreeCount: 0 }])
        await destination.writeClaim({ ...raised, epoch: 3, watermark: W2 }, raised)
        expect(await destination.watermarks()).toMatchObject([{ ...note, decreeCount: 0, heldBy: null }])
        await destination.noteCompleteness(STREAM, { lostRowCount: 0, recordHash: null })
        expect(await destination.watermarks()).toMatchObject([{ lostRowCount: 0, recordHash: null }])
      }))

    test('a pipeline of another name takes the row over', () =>
      inScene(setup, 'watermark renamed', async (scene) => {
        const destination = await scene.open()
        const claim = firstClaim(STREAM, { watermark: W1, facts: factsOf() })
        await destination.writeClaim(claim, undefined)
        await destination.writeClaim({ ...claim, epoch: 2, facts: factsOf({ pipeline: 'store' }) }, claim)
        expect((await destination.watermarks()).map(({ pipeline }) => pipeline)).toEqual(['store'])
      }))

    test('whoever sees a row of a range sees its claim, at every failpoint of a landing', () =>
      inScene(setup, 'watermark failpoints', async (scene) => {
        const table = ordersTable(scene)
        const first = await startStream(scene, await scene.open(), table)
        const claim = await first.claim()
        await first.destination.writeClaim({ ...claim, epoch: 2, facts: factsOf() }, claim)
        await first.land(OLD, { upper: W1 })
        const other = await scene.open()
        const seen: [Failpoint, number, string][] = []
        const look = async (name: Failpoint): Promise<void> => {
          // The rows first: a claim that becomes true in between is no fault.
          const rows = await scene.store.readRows(table.target, table.columns)
          const [row] = await other.watermarks()
          seen.push([name, rows.length, row!.watermark])
        }
        const second = await startStream(scene, await scene.open(look), table)
        await second.land(NEW, { upper: W2 })
        expect(seen.length).toBeGreaterThan(4)
        const [before, after] = ['2026-03-01 10:30:00.000000Z', '2026-03-01 12:00:00.000000Z']
        for (const [name, rowCount, watermark] of seen) {
          const expected = name === 'land.committed' ? [2, after] : [1, before]
          expect([name, rowCount, watermark]).toEqual([name, ...expected])
        }
      }))
  })
}
