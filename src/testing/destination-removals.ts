import { describe, expect, test } from 'vitest'
import type { Destination, Removal, TargetTable } from '../destinations/destination.ts'
import { failure } from './destination-expect.ts'
import { at, type TestRow } from './destination-rows.ts'
import { type DestinationSetup, inScene, type Scene } from './destination-setup.ts'
import { column, ordersTable, sorted, startStream, type TestStream } from './destination-stream.ts'
import { streamPlan, withLook } from './look-expect.ts'
import { ALL, keysOf, rowsOf } from './look-rows.ts'

const T = '2026-03-01 10:00:00'
const row = (id: string, note: string | null = 'a'): TestRow => [id, T, note]

const SHAPES: readonly [string, Partial<TargetTable>][] = [
  ['upsert', {}],
  ['upsert with NULL keys', { nullKeys: 'match' }],
  ['history', { mode: 'history' }],
  ['history with NULL keys', { mode: 'history', nullKeys: 'match' }],
]

/** Rows that are gone at the source are taken away or marked, with the claim, and come back when they land (spec A27). */
export function removalTests(setup: DestinationSetup): void {
  const inRemovals = (name: string, run: (scene: Scene, destination: Destination) => Promise<void>) =>
    inScene(setup, name, async (scene) => {
      const destination = await scene.open()
      if (destination.capabilities.pushdownFingerprint) await run(scene, destination)
    })

  describe('removals', () => {
    test.each(SHAPES)('rows are removed, with the claim: %s', (_, shape) =>
      inRemovals('remove', async (scene, destination) => {
        const stream = await startStream(scene, destination, ordersTable(scene, shape))
        await stream.land([row('1'), row('2'), row('3')])
        expect(await remove(stream, ['1', '3', '99'], { mode: 'remove' })).toBe(2)
        expect(await stream.rows()).toEqual([row('2')])
        const { readSeq, batch, watermark } = await stream.claim()
        expect([readSeq, batch, watermark]).toEqual([2, 'removal-2', at('2026-03-02')])
        expect(await destination.receiptOf(stream.table.stream, 'removal-2')).toBeUndefined()
        expect((await stream.land([row('1')])).inserted).toBe(1)
        expect(await keysThere(stream)).toEqual(['1', '2'])
      }),
    )

    test.each(SHAPES)(
      'a marked row is there no more, and again once it lands, changed or not: %s',
      (_, shape) =>
        inRemovals('mark', async (scene, destination) => {
          const stream = await startStream(scene, destination, ordersTable(scene, shape))
          await stream.land([row('1'), row('2'), row('3'), row('4')])
          expect(await remove(stream, ['1', '2', '3', '99'])).toBe(3)
          expect(await remove(stream, ['1'])).toBe(0)
          expect(await keysThere(stream)).toEqual(['4'])
          await withLook(stream, await streamPlan(stream), async (look) => {
            expect(await look.find(['1', '4'], 'row')).toHaveLength(1)
            expect((await look.duplicates?.(10)) ?? []).toEqual([])
          })
          // As a run lands it, as the overlap reads it again, and as a repair brings it.
          const same = await stream.land([row('1')])
          expect(same.inserted + same.updated).toBe(1)
          const again = await stream.land([row('2'), row('4')], { classBelow: at('2026-03-02') })
          expect([again.inserted + again.updated, again.unchanged, again.classes.reprocessed]).toEqual([
            1, 1, 1,
          ])
          const other = await stream.land([row('3', 'changed')], { purpose: 'repair' })
          expect(other.inserted + other.updated).toBe(1)
          expect(await keysThere(stream)).toEqual(['1', '2', '3', '4'])
          expect((await stream.land([row('1'), row('2')])).unchanged).toBe(2)
        }),
    )

    test.each(SHAPES)('a read older than the mark does not undo it: %s', (_, shape) =>
      inRemovals('mark late', async (scene, destination) => {
        const stream = await startStream(scene, destination, ordersTable(scene, shape))
        await stream.land([row('1')], { readSeq: 1 })
        await remove(stream, ['1'], { readSeq: 3 })
        await stream.land([row('1', 'old')], { readSeq: 2 })
        expect(await keysThere(stream)).toEqual([])
      }),
    )

    test('rows without key are marked and come back once', () =>
      inRemovals('mark bag', async (scene, destination) => {
        const stream = await startStream(
          scene,
          destination,
          ordersTable(scene, { key: [], appendOnly: true }),
        )
        const upper = at('2026-03-02')
        await stream.land([row('1'), row('1'), row('2'), row('3')], { upper })
        const keyOf = (id: string) => `${id};1772359200000000;v1:a`
        expect(await keysThere(stream)).toEqual([keyOf('1'), keyOf('1'), keyOf('2'), keyOf('3')])
        expect(await remove(stream, [keyOf('1'), keyOf('2')])).toBe(3)
        expect(await keysThere(stream)).toEqual([keyOf('3')])
        const receipt = await stream.land([row('1'), row('3')], { upper, classBelow: upper })
        expect(receipt.classes).toMatchObject({ late: 1, reprocessed: 1 })
        expect(await keysThere(stream)).toEqual([keyOf('1'), keyOf('3')])
        expect(await stream.rows()).toEqual(sorted([row('1'), row('2'), row('3')]))
        expect((await stream.land([row('1'), row('3')], { upper })).unchanged).toBe(2)
      }))

    test('history keeps the versions before and after a mark (E54)', () =>
      inRemovals('mark history', async (scene, destination) => {
        const stream = await startStream(scene, destination, ordersTable(scene, { mode: 'history' }))
        await stream.land([row('1', 'a')])
        await stream.land([row('1', 'b')])
        expect(await remove(stream, ['1'])).toBe(1)
        expect(await keysThere(stream)).toEqual([])
        await stream.land([row('1', 'b')])
        expect(await stream.rows()).toEqual(['a', 'b', 'b', 'b'].map((note) => row('1', note)))
        expect(await keysThere(stream)).toEqual(['1'])
      }))

    test.each(['remove', 'mark'] as const)('an older epoch is refused and nothing goes: %s', (mode) =>
      inRemovals('removal epoch', async (scene, destination) => {
        const stream = await startStream(scene, destination, ordersTable(scene))
        await stream.land([row('1')])
        const before = await stream.claim()
        await destination.writeClaim({ ...before, epoch: 2 }, before)
        await failure('LEASE_FENCED_OUT', remove(stream, ['1'], { mode, epoch: 1, claimBefore: before }))
        expect(await keysThere(stream)).toEqual(['1'])
        expect((await stream.claim()).readSeq).toBe(1)
      }),
    )

    test('a table with marked rows is prepared, gets columns, lands and is looked at as before', () =>
      inRemovals('mark prepare', async (scene, destination) => {
        const stream = await startStream(scene, destination, ordersTable(scene))
        await stream.land([row('1'), row('2')])
        await remove(stream, ['1'])
        expect(await destination.prepare(stream.table, await stream.claim())).toEqual({ kind: 'unchanged' })
        const columns = [...stream.table.columns, column('more', { name: 'text' })]
        const wider = { ...stream.table, columns }
        expect(await destination.prepare(wider, await stream.claim())).toEqual({
          kind: 'columns_added',
          columns: ['more'],
        })
        const later = await startStream(scene, destination, wider)
        await later.land([['2', T, 'a', 'm']])
        expect(await keysThere(later)).toEqual(['2'])
        await later.land([['1', T, 'a', 'm']])
        expect(await keysThere(later)).toEqual(['1', '2'])
      }))

    test('a source may not have a column of the name that marks have', () =>
      inRemovals('mark name', async (scene, destination) => {
        const columns = [
          ...ordersTable(scene).columns,
          column('_plimsoll_deleted_at', { name: 'timestamptz' }),
        ]
        await failure(
          'DESTINATION_TABLE_MISMATCH',
          destination.prepare(ordersTable(scene, { columns }), undefined),
        )
      }))
  })
}

async function remove(
  stream: TestStream,
  keyTexts: readonly string[],
  changes: Partial<Removal> = {},
): Promise<number> {
  const before = changes.claimBefore ?? (await stream.claim())
  const readSeq = changes.readSeq ?? before.readSeq + 1
  const batchId = `removal-${readSeq}`
  return stream.destination.remove({
    table: stream.table,
    keyTexts,
    plan: await streamPlan(stream),
    mode: 'mark',
    batchId,
    readSeq,
    epoch: before.epoch,
    claimBefore: before,
    claimAfter: { ...before, readSeq, batch: batchId },
    ...changes,
  })
}

/** The keys that a check sees, one for each row. */
async function keysThere(stream: TestStream): Promise<string[]> {
  let keys: string[] = []
  await withLook(stream, await streamPlan(stream), async (look) => {
    keys = keysOf(await rowsOf(look, ALL, 'row'))
  })
  return keys
}
