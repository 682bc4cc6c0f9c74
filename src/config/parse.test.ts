// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to the environment are what is tested
import { describe, expect, test } from 'vitest'
import { PlimsollError } from '../kernel/errors.ts'
import { parseConfig } from './parse.ts'

const ORIGIN = { file: 'plimsoll.yaml', folder: '/work/shop', defaultName: 'shop' }
const HEAD = 'source: { url: postgres://shop:secret@db/shop }\ndestination: { url: duckdb:shop.duckdb }\n'

const parse = (text: string, environment = {}) => parseConfig(text, ORIGIN, environment)
const table = (settings: string) => parse(`${HEAD}tables:\n  public.orders: ${settings}\n`).tables[0]!

function failure(text: string, environment = {}): PlimsollError {
  try {
    parse(text, environment)
  } catch (error) {
    if (error instanceof PlimsollError) return error
    throw error
  }
  throw new Error(`accepted:\n${text}`)
}

test('a whole file', () => {
  const config = parse(
    `
name: nightly
state: var/catalog
source:
  url: \${SHOP_URL}
  replicaUrl: postgres://replica/shop
  excludeRoles: [monitoring]
  guard: 2s
destination: { url: 'duckdb:out/\${SHOP:-shop}.duckdb', memoryLimit: 512MB }
defaults: { mode: history, sliceRows: 1000, fenceWaitMs: 500, queryMax: 1m }
tables:
  public.orders:
    as: sales.orders
    key: [tenant, order_id]
    position: { column: updated_at, kind: timestamp, zone: Europe/Berlin, grain: 1s, stampedBy: database }
    overlap: { learned: { quantile: 0.99, min: 1m, max: 1h } }
    columns: { payload: text }
    mode: upsert
    fence: P1
    guardMs: 50
    holdMax: never
    onTimelineChange: { rewind: 10m }
  events:
`,
    { SHOP_URL: 'postgres://u:p@h/db' },
  )
  expect(config).toMatchObject({
    name: 'nightly',
    stateFolder: '/work/shop/var/catalog',
    source: { url: 'postgres://u:p@h/db', replicaUrl: 'postgres://replica/shop' },
    destination: { url: 'duckdb:///work/shop/out/shop.duckdb', memoryLimitBytes: 512_000_000 },
  })
  const [orders, events] = config.tables
  expect(orders).toMatchObject({
    table: { schema: 'public', name: 'orders' },
    as: { schema: 'sales', name: 'orders' },
    key: ['tenant', 'order_id'],
    position: { column: 'updated_at', kind: 'timestamp', zone: 'Europe/Berlin', grain: 1_000_000n },
    overlap: { kind: 'learned', quantile: 0.99, min: 60_000_000n, max: 3_600_000_000n },
    asText: ['payload'],
    mode: 'upsert',
    fence: { method: 'P1', excludeRoles: ['monitoring'] },
    onTimelineChange: { rewindUs: 600_000_000n },
  })
  expect(orders!.fence.durationsMs).toEqual({ guardMs: 50, fenceWaitMs: 500, holdMaxMs: 'never' })
  expect(orders!.limits).toEqual({ queryMaxMs: 60_000, sliceRows: 1000 })
  expect(events).toMatchObject({
    table: { schema: undefined, name: 'events' },
    mode: 'history',
    key: undefined,
  })
  expect(events!.fence.durationsMs).toEqual({ guardMs: 2000, fenceWaitMs: 500 })
})

test('tables may be a list, with or without settings', () => {
  const { tables } = parse(
    `${HEAD}tables:\n  - public.a\n  - { table: public.b, position: id, appendOnly: true }\n`,
  )
  expect(tables.map((each) => each.table.name)).toEqual(['a', 'b'])
  expect(tables[1]).toMatchObject({ position: { column: 'id' }, appendOnly: true })
})

test('amounts follow the kind of the position', () => {
  expect(table('{ overlap: { fixed: 0 } }').overlap).toEqual({ kind: 'fixed', amount: 0n })
  expect(table('{ overlap: { fixed: 90s } }').overlap).toEqual({ kind: 'fixed', amount: 90_000_000n })
  expect(table('{ position: { column: id, flavour: sequence }, overlap: { fixed: 500 } }').overlap).toEqual({
    kind: 'fixed',
    amount: 500n,
  })
  expect(table('{ position: { column: ms, unit: ms, grain: 2s } }').position!.grain).toBe(2000n)
})

test('an unquoted reference may stand for a number, a quoted one never', () => {
  const text = `${HEAD}tables:\n  a:\n    sliceRows: \${N}\n    peek: \${P:-true}\n`
  expect(parse(text, { N: '7' }).tables[0]).toMatchObject({ limits: { sliceRows: 7 }, peek: true })
  expect(failure(text.replace('${N}', '"${N}"'), { N: '7' }).message).toContain('must be a number, not "7"')
})

test('a value from the environment brings no structure with it', () => {
  const { source } = parse(`${HEAD.replace('postgres://shop:secret@db/shop', '"${U}"')}tables: [a]`, {
    U: 'postgres://h/d\ndefaults: {}',
  })
  expect(source.url).toBe('postgres://h/d\ndefaults: {}')
})

describe('faults say file, line, setting and remedy:', () => {
  test.each<[string, string, string]>([
    [
      'a mistyped key',
      'tables:\n  public.orders:\n    postion: x',
      'plimsoll.yaml:5: tables.public.orders.postion is no setting. Did you mean position?',
    ],
    [
      'a mistyped key of the top',
      'tabels: [a]',
      'plimsoll.yaml:3: tabels is no setting. Did you mean tables?',
    ],
    ['no tables', '', 'plimsoll.yaml:1: tables is missing'],
    ['empty tables', 'tables: {}', 'plimsoll.yaml:3: tables names no table'],
    [
      'a key within position',
      'tables:\n  a:\n    position: { column: x, zoned: y }',
      'plimsoll.yaml:5: tables.a.position.zoned is no setting. Did you mean zone?',
    ],
    [
      'a key within overlap',
      'tables:\n  a: { overlap: { fixd: 5m } }',
      'overlap.fixd is no setting. Did you mean fixed?',
    ],
    [
      'a key within learned',
      'tables:\n  a: { overlap: { learned: { quantil: 0.9 } } }',
      'quantil is no setting. Did you mean quantile?',
    ],
    [
      'a key of a list entry',
      'tables:\n  - a\n  - { table: b, mod: upsert }',
      'plimsoll.yaml:5: tables.1.mod is no setting. Did you mean mode?',
    ],
    [
      'a wrong word',
      'tables: { a: { mode: merge } }',
      'tables.a.mode must be upsert or history, not "merge"',
    ],
    [
      'a wrong method',
      'tables: { a: { fence: p1 } }',
      'must be auto or P1 or P2 or P3 or N1 or S1 or settle, not "p1"',
    ],
    [
      'a number where a duration goes',
      'tables: { a: { guard: 5 } }',
      'guard must be a duration such as 10s, 5m or 1h, not 5',
    ],
    [
      'a duration without a unit',
      'tables: { a: { guard: "5" } }',
      'guard must be a duration such as 10s, 5m or 1h, not "5"',
    ],
    ['a negative time', 'tables: { a: { guardMs: -1 } }', 'guardMs must be at least 0, not -1'],
    ['half a row', 'tables: { a: { sliceRows: 1.5 } }', 'sliceRows must be a whole number, not 1.5'],
    ['no rows', 'tables: { a: { sliceRows: 0 } }', 'sliceRows must be at least 1, not 0'],
    [
      'twice the same',
      'tables:\n  a:\n    guard: 1s\n    guardMs: 1000',
      'plimsoll.yaml:6: tables.a.guardMs says again what guard says. Keep one of the two',
    ],
    [
      'a bare overlap',
      'tables: { a: { overlap: { fixed: 300 } } }',
      'overlap.fixed is a bare number: 300. Write a duration',
    ],
    ['an overlap as a text', 'tables: { a: { overlap: 5m } }', 'overlap must be auto, { fixed: 5m } or'],
    [
      'an overlap of both kinds',
      'tables: { a: { overlap: { fixed: 1m, learned: {} } } }',
      'learned is no setting',
    ],
    [
      'a duration for a counter',
      'tables: { a: { position: { column: i, flavour: sequence }, overlap: { fixed: 1m } } }',
      'is a duration, and i counts',
    ],
    [
      'a quantile of one',
      'tables: { a: { overlap: { learned: { quantile: 1 } } } }',
      'quantile must be below 1, not 1',
    ],
    [
      'min above max',
      'tables: { a: { overlap: { learned: { min: 2h, max: 1h } } } }',
      'has a min above its max',
    ],
    [
      'a grain finer than the unit',
      'tables: { a: { position: { column: s, unit: s, grain: 1ms } } }',
      'grain is no whole number of the column’s units',
    ],
    ['an empty key', 'tables: { a: { key: [] } }', 'tables.a.key is empty'],
    ['columns as anything', 'tables: { a: { columns: { c: int } } }', 'columns.c must be text'],
    ['a strange table', 'tables: { a.b.c: }', 'tables.a.b.c is no table name'],
    ['a strange target', 'tables: { a: { as: "x." } }', 'tables.a.as is no table name'],
    [
      'two tables in one',
      'tables:\n  a: { as: s.x }\n  b: { as: s.x }',
      'plimsoll.yaml:5: tables.b lands in s.x, and so does a',
    ],
    ['a yes', 'tables: { a: { peek: yes } }', 'peek must be true or false, not "yes"'],
    ['a duplicate key', 'tables:\n  a:\n  a:', 'plimsoll.yaml:4: is not YAML: Map keys must be unique'],
    [
      'a bare reference within braces',
      'tables: { a: { mode: ${M} } }',
      'Within { } a reference needs quotes',
    ],
    ['no YAML', 'tables: [a', 'is not YAML'],
    [
      'an unset variable',
      'tables:\n  a: { position: "${COLUMN}" }',
      'plimsoll.yaml:4: names the environment variable COLUMN, which is not set. Set it, or give a default: ${COLUMN:-…}',
    ],
    ['a malformed reference', 'tables: ["${1}"]', 'holds ${1}, which names no variable'],
  ])('%s', (_, text, message) => {
    const error = failure(HEAD + text)
    expect(error.message).toContain(message)
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', kind: 'usage' })
    expect(error.hint).toContain('plimsoll config schema')
  })

  test('all at once, in the order of the file', () => {
    const error = failure(`nam: x\n${HEAD}tables:\n  a: { mod: upsert }\n  b: { peek: 1 }\n`)
    expect(error.message.split('\n').map((line) => /:(\d+):/.exec(line)?.[1])).toEqual(['1', '5', '6'])
  })

  test('a missing source, a URL that is none, a size that is none', () => {
    expect(failure('tables: [a]').message).toContain('source is missing')
    expect(failure(`${HEAD.replace('duckdb:shop.duckdb', 'shop.duckdb')}tables: [a]`).message).toContain(
      'destination.url is no connection URL',
    )
    expect(failure(`${HEAD.replace(' }\ndest', ', memoryLimit: 2 }\ndest')}tables: [a]`).message).toContain(
      'memoryLimit is no setting',
    )
    expect(
      failure(`${HEAD.replace('duckdb:shop.duckdb', 'duckdb:x, memoryLimit: lots')}tables: [a]`).message,
    ).toContain('must be a size')
    expect(failure('').message).toContain('source is missing')
    expect(failure('- a').message).toContain('must be a map, not a list')
  })

  test('no password in any of them', () => {
    expect(failure(`${HEAD}tables: {}`).message).not.toContain('secret')
  })
})

test('append is refused by its own code (E62)', () => {
  for (const text of ['tables: { a: { mode: append } }', 'defaults: { mode: append }\ntables: [a]']) {
    const error = failure(HEAD + text)
    expect(error).toMatchObject({ code: 'APPEND_WITH_OVERLAP', kind: 'usage' })
    expect(error.message).toContain('Take upsert')
  }
})

test('overlap auto learns, in the units of the position', () => {
  expect(table('{ overlap: auto, latenessLossRows: 0.01 }')).toMatchObject({
    overlap: { kind: 'learned', quantile: 0.999, min: 60_000_000n, max: 86_400_000_000n },
    limits: { latenessLossRows: 0.01 },
  })
  expect(table('{ overlap: auto, position: { column: i, flavour: sequence } }').overlap).toEqual({
    kind: 'learned',
    quantile: 0.999,
    min: 10_000n,
    max: 10_000_000n,
  })
})
