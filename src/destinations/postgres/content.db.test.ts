import { describe, expect, test } from 'vitest'
import { setupOn, textStream } from '../../../test/support/postgres-destination.ts'
import { postgresServers } from '../../../test/support/servers.ts'
import type { LogicalType } from '../../kernel/types.ts'
import type { ColumnShape } from '../../sources/source.ts'
import type { TestRow } from '../../testing/destination-rows.ts'
import { inScene, type Scene } from '../../testing/destination-setup.ts'
import { column, ordersTable, startStream } from '../../testing/destination-stream.ts'

const T = '2026-03-01 10:00:00+00'

/** Pairs that PostgreSQL's `=` calls equal and that print differently. */
const LOOKALIKES: readonly (readonly [string, LogicalType, string, string])[] = [
  ['double precision', { name: 'float8' }, '0', '-0'],
  ['real', { name: 'float4' }, '-0', '0'],
  ['numeric', { name: 'numeric' }, '1.0', '1.00'],
  ['interval', { name: 'interval' }, '1 mon', '30 days'],
  ['interval', { name: 'interval' }, '1 day', '24:00:00'],
  ['json', { name: 'json' }, '{"a":1}', '{"a": 1}'],
  ['jsonb', { name: 'jsonb' }, '{"a": 1.0}', '{"a": 1.00}'],
  ['bpchar', { name: 'text' }, 'a', 'a '],
  ['numeric[]', { name: 'list', of: { name: 'numeric' } }, '{1.0}', '{1.00}'],
  ['point', { name: 'opaque' }, '(1,0)', '(1,-0)'],
  ['double precision', { name: 'float8' }, 'NaN', '1'],
]

describe.each(postgresServers())('content on PostgreSQL $major', (server) => {
  const setup = setupOn(server)

  for (const mode of ['upsert', 'history'] as const) {
    test.each(LOOKALIKES)(`%s, %o: %s is not %s (${mode})`, (nativeType, type, a, b) =>
      inScene(setup, `lookalike ${mode}`, async (scene) => {
        const stream = await startStream(scene, await scene.open(), valueTable(scene, nativeType, type, mode))
        await stream.land([], { stream: textStream([['1', T, a]]) })
        const change = await stream.land([], { stream: textStream([['1', T, b]]) })
        expect([change.inserted, change.updated]).toEqual(mode === 'upsert' ? [0, 1] : [1, 0])
        const again = await stream.land([], { stream: textStream([['1', T, b]]) })
        expect([again.inserted, again.updated, again.unchanged]).toEqual([0, 0, 1])
        const seen = await printed(scene)
        expect(seen.sort()).toEqual(mode === 'upsert' ? [b] : [a, b].sort())
      }),
    )
  }

  test('a text under a collation that folds case is compared by its bytes', () =>
    inScene(setup, 'folding collation', async (scene) => {
      const { execute } = scene.store
      const made = await execute!(
        `create collation folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`,
      ).then(
        () => true,
        () => false,
      )
      if (!made) return
      const stream = await startStream(scene, await scene.open(), ordersTable(scene))
      await execute!('alter table orders alter column note type text collate folding')
      await stream.land([], { stream: textStream([['1', T, 'a']]) })
      expect((await stream.land([], { stream: textStream([['1', T, 'A']]) })).updated).toBe(1)
      expect((await stream.rows())[0]![2]).toBe('A')
    }))

  test('a key that prints differently and is equal stays one row, and takes the new print', () =>
    inScene(setup, 'key scale', async (scene) => {
      const columns = [column('id', { name: 'numeric' }, false), column('at', { name: 'timestamptz' })]
      const stream = await startStream(scene, await scene.open(), ordersTable(scene, { columns }))
      await stream.land([], { stream: textStream([['1.0', T]]) })
      expect((await stream.land([], { stream: textStream([['1.00', T]]) })).updated).toBe(1)
      expect((await stream.rows()).map((row) => row[0])).toEqual(['1.00'])
    }))

  test.each(['upsert', 'history'] as const)(
    'an older read lands late, after both slices of a newer one (%s)',
    (mode) =>
      inScene(setup, 'late slices', async (scene) => {
        const stream = await startStream(scene, await scene.open(), ordersTable(scene, { mode }))
        const land = (readSeq: number, ...rows: TestRow[]) =>
          stream.land([], { stream: textStream(rows), readSeq })
        await land(1, ['1', T, 'A'], ['2', T, 'A'])
        await land(3, ['1', T, 'A'])
        await land(3, ['2', T, 'A'])
        const late = await land(2, ['1', T, 'B'], ['2', T, 'B'])
        expect([late.inserted, late.updated, late.unchanged]).toEqual([0, 0, 2])
        expect((await stream.rows()).map((row) => row[2])).toEqual(['A', 'A'])
      }),
  )

  test('A, B, A in one tick: upsert ends at A', () =>
    inScene(setup, 'aba', async (scene) => {
      const stream = await startStream(scene, await scene.open(), ordersTable(scene))
      for (const note of ['A', 'B', 'A']) await stream.land([], { stream: textStream([['1', T, note]]) })
      expect((await stream.rows()).map((row) => row[2])).toEqual(['A'])
    }))
})

/** Column v as PostgreSQL prints it. */
async function printed(scene: Scene): Promise<(string | null)[]> {
  const columns = [column('v', { name: 'text' })]
  const rows = await scene.store.readRows({ schema: scene.store.schema, name: 'orders' }, columns)
  return rows.map((row) => row[0]!)
}

function valueTable(scene: Scene, nativeType: string, type: LogicalType, mode: 'upsert' | 'history') {
  const v: ColumnShape = { name: 'v', nativeType, builtin: true, type, nullable: true }
  const columns = [column('id', { name: 'int8' }, false), column('at', { name: 'timestamptz' }), v]
  return ordersTable(scene, { columns, mode })
}
