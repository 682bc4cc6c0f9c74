import { describe, expect, test } from 'vitest'
import { inSourceScene, row, second } from './source-scene.ts'
import type { SourceSetup } from './source-setup.ts'

/** What a source says of itself and its tables, and that it notices when that changes (spec E50, E51, E66, E67). */
export function shapeTests(setup: SourceSetup): void {
  describe('description', () => {
    test('lists and describes the table, with its key and position', () =>
      inSourceScene(setup, 'describe', async ({ database, shape }) => {
        const { source, table, declared } = database
        expect((await source.list()).map((each) => each.table)).toContainEqual(table)
        expect(shape.columns.map((column) => column.name)).toEqual(['id', declared.column, 'payload'])
        expect(shape.columns.map((column) => column.nullable)).toEqual([false, true, true])
        expect(shape.keys[0]).toEqual({ columns: ['id'], origin: 'primary_key' })
        const fact = shape.positions.find((position) => position.column === declared.column)
        expect(fact).toMatchObject({ nullable: true, indexed: true })
        expect(fact?.order?.stampedBy).toBe('database')
        expect((await source.describe(table, declared)).schemaHash).toBe(shape.schemaHash)
      }))

    test('names the nearest tables for one that is not there', () =>
      inSourceScene(setup, 'not found', async ({ database: { source, table } }) => {
        const wrong = { ...table, name: `${table.name}x` }
        await expect(source.describe(wrong)).rejects.toMatchObject({
          code: 'TABLE_NOT_FOUND',
          hint: expect.stringContaining(table.name),
        })
      }))

    test('the same server answers with the same identity, which never goes back', () =>
      inSourceScene(setup, 'identity', async ({ database }) => {
        const before = await database.source.identity()
        await database.put([row(1, second(1))])
        const after = await database.source.identity()
        expect(before.id).not.toBe('')
        expect({ ...after, logPosition: undefined }).toEqual({ ...before, logPosition: undefined })
      }))

    test('a column that was added between description and read is noticed', () =>
      inSourceScene(setup, 'schema', async (scene) => {
        const { database, shape } = scene
        if (!database.addColumn) return
        await database.put([row(1, second(1))])
        await database.addColumn()
        await expect(scene.openReader()).rejects.toMatchObject({ code: 'SCHEMA_CHANGED' })
        const now = await database.source.describe(database.table, database.declared)
        expect(now.schemaHash).not.toBe(shape.schemaHash)
        expect(now.columns).toHaveLength(shape.columns.length + 1)
      }))

    test('the range query is explained without a scan, for an index serves it', () =>
      inSourceScene(setup, 'explain', async (scene) => {
        await scene.database.put(Array.from({ length: 500 }, (_, i) => row(i, second(i))))
        const range = { lower: scene.at(second(490)), upper: scene.at(second(495)) }
        const plan = await scene.database.source.explain(scene.request(second(500)), range)
        expect(plan).toMatchObject({ sort: false, obstacle: undefined })
        expect(plan.sql).not.toBe('')
      }))
  })
}
