import { describe, expect, test } from 'vitest'
import type { Position } from '../kernel/position.ts'
import { at, type TestRow } from './destination-rows.ts'
import { type DestinationSetup, inScene } from './destination-setup.ts'
import { column, ordersTable, startStream } from './destination-stream.ts'

const W = at('2026-03-01 12:00:00')

/** How rows below the old watermark stood against the destination (spec E41, E73). */
export function classTests(setup: DestinationSetup): void {
  describe('classes', () => {
    test('one planted row of each class is counted in its class (E41)', () =>
      inScene(setup, 'classes', async (scene) => {
        const stream = await startStream(scene, await scene.open(), ordersTable(scene))
        const before: TestRow[] = [
          ['1', '2026-03-01 11:00:00', 'same'],
          ['2', '2026-03-01 11:00:00', 'old position'],
          ['3', '2026-03-01 11:00:00', 'old content'],
          ['4', '2026-03-01 11:00:00', 'newer position'],
        ]
        await stream.land(before, { upper: W })
        const receipt = await stream.land(
          [
            ['1', '2026-03-01 11:00:00', 'same'],
            ['2', '2026-03-01 11:00:01', 'late update'],
            ['3', '2026-03-01 11:00:00', 'new content'],
            ['4', '2026-03-01 10:00:00', 'older position'],
            ['5', '2026-03-01 11:59:59.999999', 'late insert'],
            ['6', '2026-03-01 12:00:00', 'fresh'],
            ['7', '2026-03-01 12:00:00.000001', 'fresh'],
          ],
          { classBelow: W },
        )
        expect(receipt.classes).toEqual({ fresh: 2, late: 2, reprocessed: 1, samePosition: 1, regressed: 1 })
        expect([receipt.inserted, receipt.updated, receipt.unchanged]).toEqual([3, 3, 1])
        expect(receipt.lateRows).toEqual([
          { key: ['2'], position: { kind: 'timestamptz', value: String(at('2026-03-01 11:00:01').value) } },
          {
            key: ['5'],
            position: { kind: 'timestamptz', value: String(at('2026-03-01 11:59:59.999999').value) },
          },
        ])
      }))

    test('without a bound all rows are fresh', () =>
      inScene(setup, 'all fresh', async (scene) => {
        const stream = await startStream(scene, await scene.open(), ordersTable(scene))
        const rows: TestRow[] = [
          ['1', '2026-03-01 11:00:00', 'a'],
          ['2', null, 'b'],
        ]
        for (let run = 0; run < 2; run++) {
          const receipt = await stream.land(rows)
          expect(receipt.classes).toEqual({
            fresh: 2,
            late: 0,
            reprocessed: 0,
            samePosition: 0,
            regressed: 0,
          })
          expect(receipt.lateRows).toEqual([])
        }
      }))

    test('rows read equal, with NULL in every place, are reprocessed', () =>
      inScene(setup, 'null equals null', async (scene) => {
        const stream = await startStream(scene, await scene.open(), ordersTable(scene))
        const rows: TestRow[] = [
          ['1', '2026-03-01 11:00:00', null],
          ['2', '2026-03-01 11:00:00', ''],
        ]
        await stream.land(rows, { upper: W })
        const receipt = await stream.land(rows, { classBelow: W })
        expect(receipt.classes.reprocessed).toBe(2)
      }))

    test('every kind of position has its place below the bound', () =>
      inScene(setup, 'position kinds', async (scene) => {
        const destination = await scene.open()
        for (const { kind, below, atBound, bound } of KINDS) {
          const type = kind === 'xid8' ? 'uint8' : kind === 'integer' ? 'int8' : kind
          const table = ordersTable(scene, {
            stream: `kinds.${kind}`,
            target: { schema: scene.store.schema, name: `kind_${kind}` },
            columns: [column('id', { name: 'int8' }, false), column('p', { name: type })],
            order: { column: 'p', kind, tick: 1n, grain: 1n, stampedBy: 'database' },
          })
          const stream = await startStream(scene, destination, table)
          await stream.land([], { upper: bound })
          const receipt = await stream.land(
            [
              ['1', below],
              ['2', atBound],
            ],
            { classBelow: bound },
          )
          expect(receipt.classes, kind).toMatchObject({ fresh: 1, late: 1 })
          expect(receipt.lateRows[0]?.position.kind).toBe(kind)
          const again = await stream.land(
            [
              ['1', below],
              ['2', atBound],
            ],
            { classBelow: bound },
          )
          expect(again.classes, kind).toMatchObject({ fresh: 1, reprocessed: 1 })
        }
      }))

    test('at most 1000 late rows are named, the deepest first', () =>
      inScene(setup, 'late rows bounded', async (scene) => {
        const stream = await startStream(scene, await scene.open(), ordersTable(scene))
        await stream.land([], { upper: W })
        const rows = Array.from({ length: 1100 }, (_, i) => [
          `${i}`,
          `2026-03-01 11:00:00.${String(i).padStart(6, '0')}`,
          'x',
        ])
        const receipt = await stream.land(rows, { classBelow: W })
        expect(receipt.classes.late).toBe(1100)
        expect(receipt.lateRows).toHaveLength(1000)
        expect(receipt.lateRows.slice(0, 2).map((row) => row.key)).toEqual([['0'], ['1']])
      }))
  })
}

interface KindCase {
  readonly kind: Position['kind']
  readonly below: string
  readonly atBound: string
  readonly bound: Position
}

const NOON = at('2026-03-01 12:00:00').value as bigint
const MIDNIGHT = at('2026-03-01').value as bigint

const KINDS: readonly KindCase[] = [
  {
    kind: 'timestamp',
    below: '2026-03-01 11:59:59.999999',
    atBound: '2026-03-01 12:00:00',
    bound: { kind: 'timestamp', value: NOON },
  },
  { kind: 'date', below: '2026-02-28', atBound: '2026-03-01', bound: { kind: 'date', value: MIDNIGHT } },
  {
    kind: 'integer',
    below: '9007199254740992',
    atBound: '9007199254740993',
    bound: { kind: 'integer', value: 9007199254740993n },
  },
  {
    kind: 'xid8',
    below: '18446744073709551614',
    atBound: '18446744073709551615',
    bound: { kind: 'xid8', value: 18446744073709551615n },
  },
  { kind: 'text', below: 'B', atBound: 'a', bound: { kind: 'text', value: 'a' } },
]
