import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runPipeline } from '../../src/extract/index.ts'
import { openEngine } from '../support/engine.ts'
import { postgresServers } from '../support/servers.ts'
import { COMPOUNDS } from './postgres-compounds.ts'
import { SCALARS } from './postgres-scalars.ts'
import { backToPostgres, readDuckdb, tell } from './read-duckdb.ts'
import { createTables, label, REFUSED_KEY, streamsOver } from './source-tables.ts'
import { freshSession, landed, printed, tempFolder, withText } from './stage.ts'
import { REFUSED } from './value-case.ts'

/** Types that PostgreSQL cannot compare: their text decides. */
const NO_EQUALITY = new Set(['json', 'xml', 'point', 'polygon', 'jsonpath', 'pg_snapshot', 'box[]'])

describe.each(postgresServers())('values of PostgreSQL $major in DuckDB', (server) => {
  const cases = [...SCALARS, ...COMPOUNDS].filter(({ majors }) => majors?.(server.major) ?? true)

  test('E75: each is held exactly and comes back equal, or is refused by name and kept as text', async () => {
    const { url, ask } = await freshSession(server, 'types to duckdb')
    const placed = await createTables(ask, cases, ({ duckdb }) => duckdb === REFUSED)
    const { held, every, refused } = streamsOver(placed)
    const folder = await tempFolder()
    const file = join(folder, 'copy.duckdb')
    const { engine, close } = await openEngine({
      sourceUrl: url,
      destinationUrl: `duckdb://${file}`,
      stateDir: join(folder, 'state'),
    })
    const { results } = await runPipeline(
      engine,
      [held, every, ...refused.map(([, settings]) => settings)],
      2,
    )
    landed(results[0])
    landed(results[1])

    // Refused by name; and what the hint asks for helps.
    const errors = results.slice(2).map(({ outcome, error }) => ({
      outcome,
      code: error?.code,
      column: error?.context.column,
      key: error?.context.key,
      text: error?.context.text,
      hint: error?.hint?.includes('columns: { v: text }'),
    }))
    expect(errors).toEqual(
      refused.map(([{ text, wireText }]) => ({
        outcome: 'failed',
        code: 'VALUE_NOT_REPRESENTABLE',
        column: 'v',
        key: [`${REFUSED_KEY}`],
        text: wireText ?? text,
        hint: true,
      })),
    )
    const remedy = refused.map(([, settings]) => withText(settings, ['v']))
    for (const result of (await runPipeline(engine, remedy, 2)).results) landed(result)
    await close()

    for (const [{ id, text }] of refused) {
      const rows = await readDuckdb(file, `public.refused_${id}`)
      expect([...rows].map(([key, { v }]) => [key, v])).toEqual([
        [1, { type: 'VARCHAR', value: null }],
        [REFUSED_KEY, { type: 'VARCHAR', value: text }],
      ])
    }

    const rows = await readDuckdb(file, 'public.held')
    const whole = placed.filter(({ isRefused }) => !isRefused)
    expect(rows.size).toBe(whole.length + 1)
    const found = whole.map((each) => {
      const { type, value } = rows.get(each.id)![each.column]!
      return `${label(each)}: ${type} ${tell(value)}`
    })
    expect(found).toEqual(whole.map((each) => `${label(each)}: ${each.duckdb}`))
    const columns = [...new Set(placed.map(({ column }) => column))]
    for (const [id, row] of rows) {
      const filled = columns.filter((column) => row[column]!.value !== null)
      expect([id, filled]).toEqual([id, whole.filter((each) => each.id === id).map(({ column }) => column)])
    }

    const texts = await readDuckdb(file, 'public.every')
    expect(placed.map((each) => `${label(each)}: ${texts.get(each.id)![each.column]!.value}`)).toEqual(
      placed.map((each) => `${label(each)}: ${each.text}`),
    )

    // Out of DuckDB into PostgreSQL again.
    for (const each of whole) {
      const back = backToPostgres(rows.get(each.id)![each.column]!.value, each.type)
      const isEqual = NO_EQUALITY.has(each.type) ? 'true' : `back IS NOT DISTINCT FROM ${each.column}`
      const [answer] = await ask(
        `SELECT ${printed('back')}, ${isEqual} FROM held, (SELECT ${back} AS back) b WHERE id = ${each.id}`,
      )
      expect([label(each), ...answer!]).toEqual([label(each), each.text, 't'])
    }
  })
})
