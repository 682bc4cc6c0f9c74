import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runPipeline } from '../../src/extract/index.ts'
import { openEngine } from '../support/engine.ts'
import { postgresServers } from '../support/servers.ts'
import { COMPOUNDS } from './postgres-compounds.ts'
import { SCALARS } from './postgres-scalars.ts'
import { createTables, label, REFUSED_KEY, streamsOver } from './source-tables.ts'
import { freshSession, landed, printed, tempFolder, withText } from './stage.ts'

const pairs = postgresServers().flatMap((from) =>
  postgresServers().map((to) => ({ from, to, majors: { from: from.major, to: to.major } })),
)

describe.each(pairs)('values of PostgreSQL $majors.from in PostgreSQL $majors.to', ({ from, to, majors }) => {
  const cases = [...SCALARS, ...COMPOUNDS].filter(
    (each) => (each.majors?.(from.major) ?? true) && !each.misreadBetween?.(majors),
  )

  test('E75: each has the same type and text, or is refused by name and kept as text', async () => {
    const source = await freshSession(from, 'types source')
    const target = await freshSession(to, 'types target')
    const placed = await createTables(
      source.ask,
      cases,
      ({ refusedBetween }) => refusedBetween?.(majors) ?? false,
    )
    const { held, every, refused } = streamsOver(placed)
    const { engine, close } = await openEngine({
      sourceUrl: source.url,
      destinationUrl: target.url,
      stateDir: join(await tempFolder(), 'state'),
    })
    const { results } = await runPipeline(
      engine,
      [held, every, ...refused.map(([, settings]) => settings)],
      2,
    )
    landed(results[0])
    landed(results[1])
    for (const [i, [{ text }]] of refused.entries()) {
      const { outcome, error } = results[i + 2]!
      expect([outcome, error?.code]).toEqual(['failed', 'VALUE_NOT_REPRESENTABLE'])
      expect(error?.context).toMatchObject({ column: 'v', key: [`${REFUSED_KEY}`], text })
      expect(error?.hint).toContain('columns: { v: text }')
    }
    const remedy = refused.map(([, settings]) => withText(settings, ['v']))
    for (const result of (await runPipeline(engine, remedy, 2)).results) landed(result)
    await close()

    for (const [{ id, text }] of refused) {
      expect(await target.ask(`SELECT id, pg_typeof(v), v FROM refused_${id} ORDER BY id`)).toEqual([
        ['1', 'text', null],
        [`${REFUSED_KEY}`, 'text', text],
      ])
    }
    const columns = [...new Set(placed.map(({ column }) => column))]
    for (const table of ['held', 'every'] as const) {
      const read = `SELECT id, ${columns.map(printed).join(', ')} FROM ${table} ORDER BY id`
      const rows = new Map((await target.ask(read)).map(([id, ...texts]) => [Number(id), texts]))
      const wanted = placed.filter(({ isRefused }) => table === 'every' || !isRefused)
      expect(rows.size).toBe(wanted.length + 1)
      const textOf = (each: (typeof placed)[number]) =>
        table === 'every' ? each.text : (each.targetText ?? each.text)
      for (const [id, texts] of rows) {
        const each = wanted.find((one) => one.id === id)
        const expected = columns.map((column) => (each?.column === column ? textOf(each) : null))
        expect([each && label(each), texts]).toEqual([each && label(each), expected])
      }
    }
    const types = await target.ask(`SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
      WHERE attrelid = 'held'::regclass AND attname ~ '^c[0-9]+$'`)
    const wantedTypes = placed.map((each) => [each.column, each.targetType ?? each.nativeType])
    expect(Object.fromEntries(types)).toEqual(Object.fromEntries(wantedTypes))
    const textTypes = await target.ask(`SELECT DISTINCT format_type(atttypid, atttypmod) FROM pg_attribute
      WHERE attrelid = 'every'::regclass AND attname ~ '^c[0-9]+$'`)
    expect(textTypes).toEqual([['text']])
  })
})
