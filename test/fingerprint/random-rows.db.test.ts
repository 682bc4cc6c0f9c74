import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { formatDay, formatMoment } from '../../src/kernel/fingerprint/wire-moment.ts'
import { quoteLiteral } from '../../src/kernel/sql-text.ts'
import { connector as sqlite } from '../../src/sources/sqlite/index.ts'
import { testContext } from '../../src/testing/destination-setup.ts'
import { clientRow, rowsOf } from '../../src/testing/look-rows.ts'
import { suiteSeed } from '../support/random.ts'
import { postgresServers } from '../support/servers.ts'
import { freshSqliteFile } from '../support/sqlite-files.ts'
import { CHECK_COLUMNS } from './check-values.ts'
import { openDuckdb, openPostgres, planOf, type SqlEngine } from './engines.ts'

const ROW_COUNT = 3_000
const SEED = suiteSeed()
const PLAN = planOf(CHECK_COLUMNS, { position: 'ts' })

const orNull = (value: fc.Arbitrary<string>): fc.Arbitrary<string | null> =>
  fc.option(value, { nil: null, freq: 6 })
const trap = fc.string({ unit: fc.constantFrom(...`;:vwNz0123456789'"\\ \n\t`), maxLength: 8 })
/** No server takes a NUL, and PostgreSQL no half of a pair. */
const text = fc
  .oneof(
    trap,
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.string({ unit: 'binary-ascii', maxLength: 12 }),
    fc
      .tuple(
        fc.constantFrom('é', 'x', '\u{1F600}'),
        fc.constantFrom(1023, 1024, 1025, 2048, 2049, 4096, 4097),
      )
      .map(([letter, count]) => letter.repeat(count)),
  )
  .filter((value) => !value.includes('\0') && !/\p{Surrogate}/u.test(value))
const bytes = fc.uint8Array({ maxLength: 10 }).map((all) => `\\x${Buffer.from(all).toString('hex')}`)
const padded = fc
  .string({ unit: fc.constantFrom('a', ' ', 'é', ';'), maxLength: 5 })
  .map((value) => value.padEnd(5))
const decimal = fc.bigInt(-(10n ** 20n) + 1n, 10n ** 20n - 1n).map((n) => {
  const digits = String(n < 0n ? -n : n).padStart(5, '0')
  return `${n < 0n ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}`
})
const moment = fc.oneof(
  fc.bigInt(-62_135_596_800_000_000n, 253_402_300_799_999_999n).map(formatMoment),
  fc.bigInt(-2_000_000n, 2_000_000n).map(formatMoment),
)
const day = fc.bigInt(-719_162n, 2_932_896n).map(formatDay)
const rows = fc.array(
  fc.tuple(
    orNull(text),
    orNull(padded),
    orNull(decimal),
    orNull(fc.constantFrom('t', 'f')),
    orNull(moment),
    orNull(day),
    orNull(bytes),
    orNull(fc.uuid()),
  ),
  { minLength: ROW_COUNT, maxLength: ROW_COUNT },
)

const TYPES = {
  postgres:
    'id bigint, t text, c char(5), d decimal(20,4), b boolean, ts timestamptz, dt date, bl bytea, u uuid',
  duckdb: 'id bigint, t text, c text, d decimal(20,4), b boolean, ts timestamptz, dt date, bl blob, u uuid',
}

test(`random rows have the words that the program computes, in every engine (seed ${SEED})`, async () => {
  const [sample] = fc.sample(rows, { seed: SEED, numRuns: 1 })
  const wires = sample!.map((row, i) => [String(i), ...row])
  const expected = new Map(wires.map((wire) => [wire[0]!, clientRow(PLAN, wire, 'row')]))
  const words = [...expected.values()].map(({ keyText, word }) => [keyText, String(word)])

  for (const open of [
    ...postgresServers().map((server) => () => openPostgres(server, 'random rows')),
    openDuckdb,
  ]) {
    const engine = await open()
    onTestFinished(() => engine.close())
    const found = await wordsIn(engine, wires)
    const differing = words
      .filter(([key, word]) => found.get(key!)?.[0] !== word)
      .map(([key]) => [engine.kind, found.get(key!)?.[1], expected.get(key!)!.texts.join(';')])
    expect(differing).toEqual([])
    expect(found.size).toBe(ROW_COUNT)
  }

  const { url, db } = freshSqliteFile(
    'CREATE TABLE checks (id INTEGER PRIMARY KEY, t TEXT, c TEXT, d TEXT, b BOOLEAN, ts TEXT, dt TEXT, bl BLOB, u TEXT)',
  )
  const insert = db.prepare('INSERT INTO checks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
  db.transaction(() => {
    for (const [id, t, c, d, b, ts, dt, bl, u] of wires) {
      const data = bl == null ? null : Buffer.from(bl.slice(2), 'hex')
      insert.run(BigInt(id!), t, c, d, b == null ? null : b === 't' ? 1n : 0n, ts, dt, data, u)
    }
  })()
  const source = await sqlite.open({ url, context: testContext(() => {}) })
  onTestFinished(() => source.close())
  const shape = await source.describe({ schema: 'main', name: 'checks' })
  const order = { column: 'ts', kind: 'text', tick: 1n, grain: 1n, stampedBy: 'unknown' } as const
  const limits = { queryMaxMs: 60_000, lockTimeoutMs: 1_000, replicaWaitMs: 1 }
  const look = await source.openLook({ shape, plan: PLAN, order, asText: [], after: undefined, ...limits })
  onTestFinished(() => look.close())
  const looked = await rowsOf(look, { rows: 'all' }, 'row')
  expect(new Map(looked.map(({ keyText, word }) => [keyText, String(word)]))).toEqual(
    new Map(words as [string, string][]),
  )
}, 120_000)

/** The word and the text of each row by its key. */
async function wordsIn(
  engine: SqlEngine,
  wires: readonly (readonly (string | null)[])[],
): Promise<ReadonlyMap<string, readonly [string, string]>> {
  await engine.ask(`CREATE TABLE checks (${TYPES[engine.kind]})`)
  for (let from = 0; from < wires.length; from += 500) {
    const values = wires
      .slice(from, from + 500)
      .map((wire) => `(${wire.map((value, i) => literal(engine, value, i)).join(', ')})`)
    await engine.ask(`INSERT INTO checks VALUES ${values.join(', ')}`)
  }
  const { keyText, rowText } = engine.expressions(PLAN)
  const found = await engine.ask(
    `SELECT k, ${engine.word(engine.digest('r', 'md5'))}, r FROM (SELECT ${keyText} AS k, ${rowText} AS r FROM checks t) q`,
  )
  return new Map(found.map(([key, word, row]) => [key!, [word!, row!]]))
}

function literal(engine: SqlEngine, value: string | null, place: number): string {
  if (value === null) return 'NULL'
  if (place === 5) return `'${value}+00'`
  if (place === 7 && engine.kind === 'duckdb') return `unhex('${value.slice(2)}')`
  return quoteLiteral(value)
}

test('the sample is not one of NULLs', () => {
  const [sample] = fc.sample(rows, { seed: SEED, numRuns: 1 })
  const filled = sample!.flat().filter((value) => value !== null)
  expect(filled.length).toBeGreaterThan(ROW_COUNT * 5)
})
