import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { quoteLiteral } from '../../src/kernel/sql-text.ts'
import { postgresServers } from '../support/servers.ts'
import {
  CHECK_BUCKETS,
  CHECK_COLUMN_WORDS,
  CHECK_COLUMNS,
  CHECK_KEYS,
  CHECK_ROWS,
  CHECK_SECOND_SUM,
  CHECK_SHA256_WORDS,
  CHECK_SUM,
} from './check-values.ts'
import { openDuckdb, openPostgres, planOf, type SqlEngine } from './engines.ts'
import { SINGLE_VALUES } from './single-values.ts'

const TABLE = {
  postgres:
    'id bigint, t text, c char(5), d decimal(20,4), b boolean, ts timestamptz, dt date, bl bytea, u uuid',
  duckdb: 'id bigint, t text, c text, d decimal(20,4), b boolean, ts timestamptz, dt date, bl blob, u uuid',
}

const engines: readonly { readonly label: string; open(): Promise<SqlEngine> }[] = [
  ...postgresServers().map((server) => ({
    label: `PostgreSQL ${server.major}`,
    open: () => openPostgres(server, 'check values'),
  })),
  // The expressions for servers below 14 and for other encodings, on one that knows both ways.
  {
    label: 'PostgreSQL as 12 would say it',
    open: () => openPostgres(postgresServers()[0]!, 'check values 12', { versionNumber: 120_000 }),
  },
  {
    label: 'PostgreSQL as in another encoding',
    open: () => openPostgres(postgresServers()[0]!, 'check values latin', { isUtf8: false }),
  },
  { label: 'DuckDB', open: openDuckdb },
]

describe.each(engines)('$label', ({ open }) => {
  let engine: SqlEngine
  const plan = planOf(CHECK_COLUMNS, { position: 'ts' })

  beforeAll(async () => {
    engine = await open()
    await engine.ask(`CREATE TABLE checks (${TABLE[engine.kind]})`)
    for (const { wire } of CHECK_ROWS)
      await engine.ask(`INSERT INTO checks VALUES (${literals(engine, wire)})`)
  })
  afterAll(() => engine.close())

  test('row texts, digests, words and buckets, byte for byte (F35)', async () => {
    const { rowText, keyText } = engine.expressions(plan)
    const digest = engine.digest('r', 'md5')
    const found = await engine.ask(
      `SELECT r, ${digest}, ${engine.word(digest)}, substr(${engine.digest('k', 'md5')},1,4)
       FROM (SELECT id, ${keyText} AS k, ${rowText} AS r FROM checks t) q`,
    )
    const wanted = CHECK_ROWS.map(({ text, md5, word, bucket }) => [text, md5, String(word), bucket])
    expect(sorted(found)).toEqual(sorted(wanted as string[][]))
  })

  test('sums, and sums by bucket (F3, F28)', async () => {
    const { rowText, keyText } = engine.expressions(plan)
    const word = engine.word(engine.digest('r', 'md5'))
    const second = word.replace(',1,15)', ',16,15)')
    expect(second).not.toBe(word)
    const rows = `(SELECT ${keyText} AS k, ${rowText} AS r FROM checks t) q`
    expect(await engine.ask(`SELECT count(*), sum(${word}), sum(${second}) FROM ${rows}`)).toEqual([
      ['16', String(CHECK_SUM), String(CHECK_SECOND_SUM)],
    ])
    const buckets = await engine.ask(
      `SELECT substr(${engine.digest('k', 'md5')},1,1) AS b, count(*), sum(${word}) FROM ${rows} GROUP BY 1`,
    )
    const wanted = Object.entries(CHECK_BUCKETS).map(([bucket, [rowCount, sum]]) => [
      bucket,
      `${rowCount}`,
      `${sum}`,
    ])
    expect(sorted(buckets)).toEqual(sorted(wanted))
  })

  test('SHA-256 (F19)', async () => {
    const { rowText } = engine.expressions({ ...plan, digest: 'sha256' })
    const word = engine.word(engine.digest('r', 'sha256'))
    const found = await engine.ask(
      `SELECT ${word}, ${word.replace(',1,15)', ',16,15)')} FROM (SELECT id, ${rowText} AS r FROM checks t) q
       WHERE id IN (1, 2) ORDER BY id`,
    )
    expect(found).toEqual(CHECK_SHA256_WORDS.map((words) => words.map(String)))
  })

  test('the words of the columns of row 5, and its position word (F5, F30)', async () => {
    const { keyText, positionText, texts } = engine.expressions(plan)
    const words = [...texts.slice(1), positionText].map((text) =>
      engine.word(engine.digest(`(${keyText}||';'||${text})`, 'md5')),
    )
    const [found] = await engine.ask(`SELECT ${words.join(', ')} FROM checks t WHERE id = 5`)
    expect(found).toEqual([...CHECK_COLUMN_WORDS, 254758180848473209n].map(String))
  })

  test('keys of several columns (F37)', async () => {
    const keyed = planOf(
      [
        { name: 'a', canonical: { name: 'text' } },
        { name: 'b', canonical: { name: 'integer' } },
      ],
      { keyCount: 2, position: 'b' },
    )
    const { keyText } = engine.expressions(keyed)
    for (const { wire, text, digest } of CHECK_KEYS) {
      const [a, b] = [wire[0] === null ? 'NULL' : quoteLiteral(wire[0]!), wire[1]]
      const [found] = await engine.ask(
        `SELECT k, substr(${engine.digest('k', 'md5')},1,4)
         FROM (SELECT ${keyText} AS k FROM (SELECT ${a}::text AS a, ${b}::int AS b) t) q`,
      )
      expect(found).toEqual([text, digest])
    }
  })

  test('single values (F36)', async () => {
    const cases = SINGLE_VALUES.filter((each) => each[engine.kind] !== undefined)
    expect(cases.length).toBeGreaterThan(70)
    const found: string[] = []
    for (const { type, ...each } of cases) {
      const { texts } = engine.expressions(planOf([{ name: 'v', canonical: type }]))
      const [row] = await engine.ask(`SELECT ${texts[0]} FROM (SELECT ${each[engine.kind]} AS v) t`)
      found.push(`${type.name} ${row?.[0]}`)
    }
    expect(found).toEqual(cases.map(({ type, text }) => `${type.name} ${text}`))
  })

  test('3 million words of 2^60 - 1 (F28)', async () => {
    const series =
      engine.kind === 'postgres' ? 'generate_series(1, 3000000)' : '(SELECT unnest(range(3000000)))'
    const word = engine.word(`('${'f'.repeat(32)}' || left(g::text, 0))`)
    const [found] = await engine.ask(`SELECT count(*), sum(${word}) FROM ${series} s(g)`)
    expect(found).toEqual(['3000000', '3458764513820540925000000'])
  })
})

/** A row of wire texts as literals of the table's columns. */
function literals(engine: SqlEngine, wire: readonly (string | null)[]): string {
  const [id, t, c, d, b, , dt, bl, u] = wire.map((value) => (value === null ? 'NULL' : quoteLiteral(value)))
  const bytes = wire[7] === null ? 'NULL' : engine.kind === 'postgres' ? bl : `unhex('${wire[7]!.slice(2)}')`
  return [id, t, c, d, b, wire[5] === null ? 'NULL' : `'${wire[5]}+00'`, dt, bytes, u].join(', ')
}

const sorted = (rows: readonly (readonly (string | null)[])[]) =>
  [...rows].sort((x, y) => (JSON.stringify(x) < JSON.stringify(y) ? -1 : 1))
