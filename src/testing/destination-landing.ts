import { describe, expect, test } from 'vitest'
import { failure, invariantBreaks } from './destination-expect.ts'
import { at, csvOf, rawStream, type TestRow } from './destination-rows.ts'
import { type DestinationSetup, inScene } from './destination-setup.ts'
import { landingOf, ordersTable, sorted, startStream } from './destination-stream.ts'

const LARGE_VALUE_LENGTH = 1_000_000

const ROWS: readonly TestRow[] = [
  ['1', '2026-03-01 10:00:00', 'one'],
  ['2', '2026-03-01 10:00:01.000001', ''],
  ['3', null, null],
  ['-9223372036854775808', '2026-03-01 10:00:02', 'a,b;"c"'],
  ['9223372036854775807', '2026-03-01 10:00:03', 'line\nline\r\nline\rline'],
  ['6', '2026-03-01 10:00:04', ' blanks '],
  ['7', '2026-03-01 10:00:05', '\\.'],
  ['8', '2026-03-01 10:00:06', '\\N \\ \t NULL'],
  ['9', '2026-03-01 10:00:07', 'ä \u{1F600} \u0001'],
  ['10', '2026-03-01 10:00:08', '"'],
]

/** Rows and claim together, the later snapshot wins, nothing lands twice (spec E53, E56). */
export function landingTests(setup: DestinationSetup): void {
  describe('land', () => {
    for (const known of ['nothing_there', 'anything'] as const) {
      test(`every odd text arrives as it is (${known})`, () =>
        inScene(setup, `odd texts ${known}`, async (scene) => {
          const stream = await startStream(scene, await scene.open(), ordersTable(scene))
          const receipt = await stream.land(ROWS, { known })
          expect(await stream.rows()).toEqual(sorted(ROWS))
          expect([receipt.rowsRead, receipt.inserted]).toEqual([ROWS.length, ROWS.length])
          expect((await stream.claim()).watermark).toEqual(at('2026-03-02'))
        }))

      test(`a value of a megabyte arrives (${known})`, () =>
        inScene(setup, `megabyte ${known}`, async (scene) => {
          const stream = await startStream(scene, await scene.open(), ordersTable(scene))
          const rows = [['1', '2026-03-01 10:00:00', 'ä"\n'.repeat(LARGE_VALUE_LENGTH / 4)]]
          await stream.land(rows, { known })
          expect(await stream.rows()).toEqual(rows)
        }))
    }

    test('the same slice again changes nothing', () =>
      inScene(setup, 'slice again', async (scene) => {
        const stream = await startStream(scene, await scene.open(), ordersTable(scene))
        await stream.land(ROWS)
        for (const readSeq of [1, 2]) {
          const receipt = await stream.land(ROWS, { readSeq })
          expect([receipt.inserted, receipt.updated, receipt.unchanged]).toEqual([0, 0, ROWS.length])
        }
        expect(await stream.rows()).toEqual(sorted(ROWS))
      }))

    test('the later read stands, whatever its position (E53)', () =>
      inScene(setup, 'later read', async (scene) => {
        const stream = await startStream(scene, await scene.open(), ordersTable(scene))
        await stream.land([['1', '2026-03-01 10:00:00', 'first']])
        const tie = await stream.land([['1', '2026-03-01 10:00:00', 'second']])
        expect([tie.inserted, tie.updated, tie.unchanged]).toEqual([0, 1, 0])
        const back = await stream.land([['1', '2026-02-01 10:00:00', 'back']])
        expect(back.updated).toBe(1)
        expect(await stream.rows()).toEqual([['1', '2026-02-01 10:00:00', 'back']])
      }))

    test('an older read that lands late changes nothing (E53)', () =>
      inScene(setup, 'older read', async (scene) => {
        const stream = await startStream(scene, await scene.open(), ordersTable(scene))
        await stream.land(
          [
            ['1', '2026-03-01 10:00:00', 'A'],
            ['2', '2026-03-01 10:00:00', 'A'],
          ],
          { readSeq: 1 },
        )
        await stream.land(
          [
            ['1', '2026-03-01 10:00:00', 'A'],
            ['2', '2026-03-01 10:00:00', 'C'],
          ],
          { readSeq: 3 },
        )
        const late = await stream.land(
          [
            ['1', '2026-03-01 10:00:00', 'B'],
            ['2', '2026-03-01 10:00:00', 'B'],
          ],
          { readSeq: 2 },
        )
        expect([late.inserted, late.updated]).toEqual([0, 0])
        expect(await stream.rows()).toEqual([
          ['1', '2026-03-01 10:00:00', 'A'],
          ['2', '2026-03-01 10:00:00', 'C'],
        ])
        expect((await stream.claim()).readSeq).toBe(3)
      }))

    test('NULL, empty text and blanks are three values', () =>
      inScene(setup, 'null and empty', async (scene) => {
        const stream = await startStream(scene, await scene.open(), ordersTable(scene))
        for (const note of ['', null, ' ', '', null]) {
          await stream.land([['1', '2026-03-01 10:00:00', note]])
          expect(await stream.rows()).toEqual([['1', '2026-03-01 10:00:00', note]])
        }
      }))

    test('no rows: the claim still moves (E11)', () =>
      inScene(setup, 'no rows', async (scene) => {
        const stream = await startStream(scene, await scene.open(), ordersTable(scene))
        const receipt = await stream.land([], { upper: at('2026-03-05 00:00:00.000001') })
        expect([receipt.rowsRead, receipt.inserted, receipt.updated, receipt.unchanged]).toEqual([0, 0, 0, 0])
        expect((await stream.claim()).watermark).toEqual(at('2026-03-05 00:00:00.000001'))
      }))

    test('other purposes than run leave the watermark', () =>
      inScene(setup, 'purposes', async (scene) => {
        const stream = await startStream(scene, await scene.open(), ordersTable(scene))
        await stream.land([], { upper: at('2026-03-01') })
        for (const purpose of ['lane', 'peek', 'backfill', 'bill', 'repair'] as const) {
          await stream.land([[String(purpose.length), null, purpose]], { purpose })
          expect((await stream.claim()).watermark).toEqual(at('2026-03-01'))
        }
        expect(await stream.rows()).toHaveLength(
          new Set(['lane', 'peek', 'backfill', 'bill', 'repair'].map((p) => p.length)).size,
        )
      }))

    test('a watermark that moves back, or stands elsewhere than expected, is a defect', () =>
      inScene(setup, 'watermark back', async (scene) => {
        const destination = await scene.open()
        const table = ordersTable(scene)
        const stream = await startStream(scene, destination, table)
        await stream.land([], { upper: at('2026-03-05') })
        await invariantBreaks(stream.land(ROWS, { upper: at('2026-03-04') }))
        const elsewhere = { ...(await stream.claim()), watermark: at('2026-03-03') }
        await invariantBreaks(
          destination.land(landingOf(table, ROWS, elsewhere, { upper: at('2026-03-06') })),
        )
        expect(await stream.rows()).toEqual([])
        expect((await stream.claim()).watermark).toEqual(at('2026-03-05'))
      }))

    test('a source that breaks off lands nothing, and its error comes through', () =>
      inScene(setup, 'breaks off', async (scene) => {
        const destination = await scene.open()
        const stream = await startStream(scene, destination, ordersTable(scene))
        const bytes = Buffer.from(csvOf(ROWS))
        for (const known of ['nothing_there', 'anything'] as const) {
          const broken = rawStream(bytes, ROWS.length, new Error('source went away'))
          await expect(stream.land([], { stream: broken, known })).rejects.toThrow('source went away')
        }
        expect(await stream.rows()).toEqual([])
        expect((await stream.claim()).batch).toBeUndefined()
        await stream.land(ROWS)
        expect(await stream.rows()).toHaveLength(ROWS.length)
      }))

    test('fewer rows than the source counted are never a success', () =>
      inScene(setup, 'row count', async (scene) => {
        const stream = await startStream(scene, await scene.open(), ordersTable(scene))
        const short = rawStream(Buffer.from(csvOf(ROWS)), ROWS.length + 1)
        await expect(stream.land([], { stream: short })).rejects.toThrow()
        expect(await stream.rows()).toEqual([])
      }))

    test('two streams land at once', () =>
      inScene(setup, 'two streams', async (scene) => {
        const destination = await scene.open()
        const tables = ['a', 'b', 'c'].map((name) =>
          ordersTable(scene, { stream: name, target: { schema: scene.store.schema, name } }),
        )
        const streams = []
        for (const table of tables) streams.push(await startStream(scene, destination, table))
        await Promise.all(streams.map((stream) => stream.land(ROWS)))
        for (const stream of streams) expect(await stream.rows()).toEqual(sorted(ROWS))
      }))

    test('a row the destination refuses: nothing of the slice, its key in the error (STATE-2)', async (context) =>
      inScene(setup, 'refused row', async (scene) => {
        if (!scene.store.execute) return context.skip()
        const stream = await startStream(scene, await scene.open(), ordersTable(scene))
        const target = `"${scene.store.schema}"."orders"`
        await scene.store.execute(`alter table ${target} alter column "note" set not null`)
        const rows = Array.from({ length: 10 }, (_, i) => [
          `10${i}`,
          '2026-03-01 10:00:00',
          i === 6 ? null : 'x',
        ])
        for (const known of ['nothing_there', 'anything'] as const) {
          const error = await failure('DESTINATION_REFUSED_ROW', stream.land(rows, { known }))
          expect(`${error.message} ${JSON.stringify(error.context)}`).toContain('106')
        }
        expect(await stream.rows()).toEqual([])
        expect((await stream.claim()).watermark).toBeUndefined()
        await scene.store.execute(`alter table ${target} alter column "note" drop not null`)
        await stream.land(rows)
        expect(await stream.rows()).toHaveLength(10)
      }))
  })
}
