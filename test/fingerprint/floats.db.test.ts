import { createHash } from 'node:crypto'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { expect, test } from 'vitest'
import { runStream } from '../../src/extract/index.ts'
import { canonicalText } from '../../src/kernel/fingerprint/canonical-text.ts'
import type { ComparisonPlan } from '../../src/kernel/fingerprint/comparison.ts'
import { wordOf } from '../../src/kernel/fingerprint/words.ts'
import type { Look } from '../../src/sources/look.ts'
import { openEngine, streamSettings } from '../support/engine.ts'
import { type Random, seededRandom, suiteSeed } from '../support/random.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'
import { landed, tempFolder } from '../types/stage.ts'
import { lookAtBoth } from './both-sides.ts'

const COUNT = 200_000
const AT = '2026-01-01 00:00:00'
const position = { column: 'at', stampedBy: 'database' } as const
const seed = suiteSeed()

/** Any bits, small numbers, those half way between two decimals, and the ends. */
function randomDoubles(random: Random, isNanKept: boolean): number[] {
  const view = new DataView(new ArrayBuffer(8))
  const doubles = [
    0, -0, 5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 0.1, 1e20, 1e21, 1e-7,
  ]
  doubles.push(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, ...(isNanKept ? [Number.NaN] : []))
  while (doubles.length < COUNT) {
    view.setUint32(0, random.below(2 ** 32))
    view.setUint32(4, random.below(2 ** 32))
    const any = view.getFloat64(0)
    const half = (random.below(2_000_000) - 1_000_000 + 0.5) / 10 ** random.below(12)
    const next = [any, half, random.below(2 ** 32), random.below(2 ** 32) / 2 ** 32][random.below(4)]!
    if (isNanKept || !Number.isNaN(next)) doubles.push(next)
  }
  return doubles
}

const wire = (value: number): string => (Object.is(value, -0) ? '-0' : String(value))

/** The sum that the program makes of rows in the wire's notation (F21). */
function clientSum({ columns }: ComparisonPlan, rows: readonly (readonly string[])[]): bigint {
  const digest = (data: string | Uint8Array) => createHash('md5').update(data).digest('hex')
  return rows.reduce((sum, row) => {
    const texts = columns.map(({ canonical }, i) => canonicalText(canonical, row[i]!, digest))
    return sum + wordOf(digest(texts.join(';')))
  }, 0n)
}

async function sumOf(look: Look): Promise<bigint> {
  const sums = await look.sums({ rows: 'all' }, 'row', 1)
  return [...sums.values()].reduce((sum, { wordSum }) => sum + wordSum, 0n)
}

test(`F20: random floats have the same bits in PostgreSQL, DuckDB and the program (seed ${seed})`, async () => {
  const doubles = randomDoubles(seededRandom(seed), true)
  const floats = doubles.map(Math.fround)
  const sourceUrl = await freshDatabase(postgresServers()[0]!, 'floats')
  const client = new pg.Client({ connectionString: sourceUrl })
  await client.connect()
  await client.query(
    `create table t (id int primary key, d float8, f float4, at timestamptz default '${AT}+00')`,
  )
  await client.query(
    'insert into t select n, d::float8, f::float4 from unnest($1::text[], $2::text[]) with ordinality u(d, f, n)',
    [doubles.map(wire), floats.map(wire)],
  )
  await client.end()
  const folder = await tempFolder()
  const destinationUrl = `duckdb://${join(folder, 'copy.duckdb')}`
  const { engine, close } = await openEngine({ sourceUrl, destinationUrl, stateDir: join(folder, 'state') })
  try {
    const settings = streamSettings('public.t', { position })
    landed(await runStream(engine, settings))
    await lookAtBoth(engine, settings, async ({ plan, source, destination }) => {
      const rows = doubles.map((double, i) => [`${i + 1}`, wire(double), wire(floats[i]!), AT])
      const expected = clientSum(plan, rows)
      expect(await sumOf(source)).toBe(expected)
      expect(await sumOf(destination)).toBe(expected)
    })
  } finally {
    await close()
  }
})

test(`F20: and in SQLite (seed ${seed})`, async () => {
  const doubles = randomDoubles(seededRandom(seed), false)
  const folder = await tempFolder()
  const file = join(folder, 'source.db')
  const db = new Database(file)
  db.exec(
    `create table t (id integer primary key, d real, at text not null default '${AT}'); create index i on t (at)`,
  )
  const insert = db.prepare('insert into t (id, d) values (?, ?)')
  db.transaction(() => {
    for (const [i, double] of doubles.entries()) insert.run(i + 1, double)
  })()
  db.close()
  const destinationUrl = `duckdb://${join(folder, 'copy.duckdb')}`
  const { engine, close } = await openEngine({
    sourceUrl: `sqlite://${file}`,
    destinationUrl,
    stateDir: join(folder, 'state'),
  })
  try {
    const settings = streamSettings('main.t', { position: { ...position, encoding: 'iso' } })
    landed(await runStream(engine, settings))
    await lookAtBoth(engine, settings, async ({ plan, source, destination }) => {
      const rows = doubles.map((double, i) => [`${i + 1}`, wire(double), AT])
      const expected = clientSum(plan, rows)
      expect(await sumOf(source)).toBe(expected)
      expect(await sumOf(destination)).toBe(expected)
    })
  } finally {
    await close()
  }
})
