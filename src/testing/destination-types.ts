import { describe, expect, test } from 'vitest'
import type { TargetTable } from '../destinations/destination.ts'
import type { LogicalType } from '../kernel/types.ts'
import { failure } from './destination-expect.ts'
import type { TestRow } from './destination-rows.ts'
import { type DestinationSetup, inScene, type Scene } from './destination-setup.ts'
import { column, ordersTable, startStream } from './destination-stream.ts'
import { TYPE_CASES, type TypeCase } from './destination-type-values.ts'

const T = '2026-03-01 10:00:00'

/** Every extreme reads back equal, or stops the slice by name (spec E75). */
export function typeTests(setup: DestinationSetup): void {
  const refused = new Set(setup.refused)
  const unsupported = new Set(setup.unsupported)

  describe('types', () => {
    for (const typeCase of TYPE_CASES) {
      const { label } = typeCase
      const held = typeCase.values.filter((value) => !refused.has(`${label} ${value}`))
      if (unsupported.has(label)) {
        test(`${label} is refused by prepare`, () =>
          inScene(setup, `type ${label}`, async (scene) => {
            await failure(
              'TYPE_NOT_SUPPORTED',
              (await scene.open()).prepare(typeTable(scene, typeCase), undefined),
            )
          }))
        continue
      }

      test(`${label} reads back equal`, () =>
        inScene(setup, `type ${label}`, async (scene) => {
          const stream = await startStream(scene, await scene.open(), typeTable(scene, typeCase))
          const rows: TestRow[] = [...held, null].map((value, i) => [`${100 + i}`, T, value])
          await stream.land(rows, { known: 'nothing_there' })
          expect(comparable(await stream.rows(), typeCase.type)).toEqual(comparable(rows, typeCase.type))
          const again = await stream.land(rows)
          expect([again.inserted, again.updated, again.unchanged]).toEqual([0, 0, rows.length])
          await stream.land(
            rows.map(([id, position], i) => [id!, position!, rows[(i + 1) % rows.length]![2]!]),
          )
          const rotated = rows.map(([id], i) => [id!, T, rows[(i + 1) % rows.length]![2]!])
          expect(comparable(await stream.rows(), typeCase.type)).toEqual(comparable(rotated, typeCase.type))
        }))

      for (const value of typeCase.values.filter((each) => refused.has(`${label} ${each}`))) {
        test(`${label} refuses ${value || 'empty text'} by name`, () =>
          inScene(setup, `type ${label} refused`, async (scene) => {
            const stream = await startStream(scene, await scene.open(), typeTable(scene, typeCase))
            const rows: TestRow[] = [
              ['1', T, held[0] ?? null],
              ['4711', T, value],
            ]
            const error = await failure('VALUE_NOT_REPRESENTABLE', stream.land(rows))
            expect(error.context).toMatchObject({ column: 'v', key: ['4711'], text: value })
            expect(error.hint).toMatch(/v: text/)
            expect(await stream.rows()).toEqual([])
          }))
      }

      test(`${label} as text keeps the source's text`, () =>
        inScene(setup, `type ${label} as text`, async (scene) => {
          const table = { ...typeTable(scene, typeCase), asText: ['v'] }
          const stream = await startStream(scene, await scene.open(), table)
          const rows: TestRow[] = typeCase.values.map((value, i) => [`${100 + i}`, T, value])
          await stream.land(rows)
          const columns = table.columns.map((each) =>
            each.name === 'v' ? column('v', { name: 'text' }) : each,
          )
          expect(comparable(await scene.store.readRows(table.target, columns), { name: 'text' })).toEqual(
            rows,
          )
        }))
    }
  })
}

function typeTable(scene: Scene, { type }: TypeCase): TargetTable {
  const columns = [
    column('id', { name: 'int8' }, false),
    column('at', { name: 'timestamptz' }),
    column('v', type),
  ]
  return ordersTable(scene, { columns })
}

/** Rows ordered by id; floats as their canonical text, so that `-0`, `nan` and `1e+308` have one spelling. */
function comparable(rows: readonly TestRow[], type: LogicalType): TestRow[] {
  const spelled = rows.map((row) => [row[0]!, row[1]!, spell(row[2] ?? null, type)])
  return spelled.sort((a, b) => Number(a[0]) - Number(b[0]))
}

function spell(value: string | null, type: LogicalType): string | null {
  if (value === null) return null
  if (type.name === 'list' && value.startsWith('[') && !value.startsWith('[0:')) {
    const elements = JSON.parse(value) as (string | null)[]
    return JSON.stringify(elements.map((element) => spell(element, type.of)))
  }
  if (type.name !== 'float4' && type.name !== 'float8') return value
  const number = Number(value.replace(/inf(inity)?$/i, 'Infinity'))
  const exact = type.name === 'float4' ? Math.fround(number) : number
  return Object.is(exact, -0) ? '-0' : String(exact)
}
