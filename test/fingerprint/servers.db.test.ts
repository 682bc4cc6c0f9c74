import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connector } from '../../src/destinations/postgres/index.ts'
import type { Look } from '../../src/sources/look.ts'
import { testContext } from '../../src/testing/destination-setup.ts'
import { openSession, openSource, orderIn } from '../support/postgres-source.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'
import { planOf, rowsOf } from './look-rows.ts'

const ALL = { rows: 'all' } as const
const LIMITS = { queryMaxMs: 60_000, lockTimeoutMs: 1_000 }
const HOSTILE = {
  timezone: 'America/New_York',
  datestyle: 'SQL, DMY',
  intervalstyle: 'iso_8601',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  standard_conforming_strings: 'off',
  max_parallel_workers_per_gather: '4',
}

const TABLE = `CREATE TABLE things (id bigint PRIMARY KEY, at timestamptz, wall timestamp, day date, clock time, span interval,
    many timestamptz[], bytes bytea, share double precision, ranges tstzrange, amount numeric, parts interval[]);
  CREATE INDEX ON things (at);
  INSERT INTO things SELECT g, timestamptz '2026-03-08 06:59:59.999999+00' + g * interval '7 minutes', timestamp '2026-03-08 02:30' + g * interval '1 hour',
    date '2026-01-05' + g, time '00:00' + g * interval '1 second', g * interval '1 day 25 hours 0.5 seconds', ARRAY[timestamptz '2026-11-01 05:30+00', NULL],
    decode(lpad(to_hex(g), 4, '0'), 'hex'), g / 7.0::float8, tstzrange('2026-07-05 12:00+00', NULL), g / 7.0, ARRAY[interval '1 mon -3 days', NULL]
  FROM generate_series(1, 200) g`

async function lookAtSource(url: string, name = 'things'): Promise<Look> {
  const source = openSource(url)
  const shape = await source.describe({ schema: 'public', name }, { column: 'at', stampedBy: 'database' })
  const order = orderIn(shape, 'at')
  const plan = planOf({ columns: shape.columns, key: ['id'], order })
  const look = await source.openLook({
    shape,
    plan,
    order,
    asText: [],
    after: undefined,
    replicaWaitMs: 1,
    ...LIMITS,
  })
  onTestFinished(() => look.close())
  return look
}

async function lookAtTarget(url: string): Promise<Look> {
  const source = openSource(url)
  const shape = await source.describe(
    { schema: 'public', name: 'things' },
    { column: 'at', stampedBy: 'database' },
  )
  const order = orderIn(shape, 'at')
  const plan = planOf({ columns: shape.columns, key: ['id'], order })
  const destination = await connector.open({ url, context: testContext(() => {}) })
  onTestFinished(() => destination.close())
  const table = {
    stream: 'things',
    target: shape.table,
    columns: shape.columns,
    key: ['id'],
    order,
    mode: 'upsert',
    nullKeys: 'refuse',
    appendOnly: false,
    asText: [],
  } as const
  const { look } = await destination.openLook({ table, plan, ...LIMITS })
  onTestFinished(() => look.close())
  return look
}

describe.each(postgresServers())('PostgreSQL $major', (server) => {
  test.each([
    ['source', lookAtSource],
    ['target', lookAtTarget],
  ] as const)(
    'every sum stays when zone, date style and all else of the server change: %s (F8)',
    async (_, lookAt) => {
      const url = await freshDatabase(server, 'fingerprint defaults')
      const ask = await openSession(url)
      await ask(TABLE)
      const before = await lookAt(url)
      const name = new URL(url).pathname.slice(1)
      for (const [setting, value] of Object.entries(HOSTILE)) {
        await ask(`ALTER DATABASE ${name} SET ${setting} = '${value}'`)
      }
      const [shown] = await (await openSession(url))(
        `SELECT at::text, span::text, bytes::text FROM things WHERE id = 1`,
      )
      expect(shown).toEqual(['08/03/2026 03:06:59.999999 EDT', 'P1DT25H0.5S', '\\000\\001'])
      const after = await lookAt(url)
      for (const word of ['row', 'position'] as const) {
        const sums = await before.sums(ALL, word, 3)
        expect(sums.size).toBeGreaterThan(100)
        expect(await after.sums(ALL, word, 3)).toEqual(sums)
        expect(await rowsOf(after, ALL, word)).toEqual(await rowsOf(before, ALL, word))
      }
      const keys = ['1', '7', '200']
      const found = await after.find(keys, 'row')
      expect(found.map(({ texts }) => texts)).toEqual(
        (await before.find(keys, 'row')).map(({ texts }) => texts),
      )
    },
  )

  test('a database of another encoding has the words of UTF-8 (F17)', async () => {
    const base = await freshDatabase(server, 'fingerprint encodings')
    const ask = await openSession(base)
    const urlOf = async (encoding: string): Promise<string> => {
      const url = new URL(base)
      const name = `${url.pathname.slice(1)}_${encoding.toLowerCase()}`
      await ask(
        `CREATE DATABASE ${name} ENCODING '${encoding}' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`,
      )
      onTestFinished(async () => void (await ask(`DROP DATABASE ${name} WITH (FORCE)`)))
      url.pathname = `/${name}`
      return url.href
    }
    const fill = async (url: string): Promise<void> => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query(
        `CREATE TABLE words (id text PRIMARY KEY, at timestamptz DEFAULT '2026-01-01Z', body text, code char(4), tags text[], doc jsonb)`,
      )
      await client.query('INSERT INTO words (id, body, code, tags, doc) VALUES ($1, $2, $3, $4, $5)', [
        'größe',
        `é€`.repeat(1_000),
        'ü',
        ['ß', null],
        '{"ä": "ö"}',
      ])
      await client.query('INSERT INTO words (id, body) VALUES ($1, $2)', ['plain', 'é'.repeat(3_000)])
      await client.end()
    }
    const [here, there] = [await urlOf('UTF8'), await urlOf('LATIN9')]
    await fill(here)
    await fill(there)
    const [utf8, latin] = [await lookAtSource(here, 'words'), await lookAtSource(there, 'words')]
    expect(await latin.sums(ALL, 'row', 4)).toEqual(await utf8.sums(ALL, 'row', 4))
    const keys = ['v7:größe', 'v5:plain']
    const [a, b] = [await utf8.find(keys, 'row'), await latin.find(keys, 'row')]
    const texts = (found: typeof a) => found.map(({ texts: all }) => all.join(';')).sort()
    expect(texts(b)).toEqual(texts(a))
    expect(a.flatMap((row) => row.texts)).toContain('v2:ü')
    // A key that the database cannot write at all is simply not there.
    expect(await latin.find(['v4:\u{1F600}', 'v7:größe'], 'row')).toHaveLength(1)

    const unknown = await urlOf('SQL_ASCII')
    await fill(unknown)
    await expect(lookAtSource(unknown, 'words')).rejects.toMatchObject({ code: 'TYPE_NOT_SUPPORTED' })
  })
})
