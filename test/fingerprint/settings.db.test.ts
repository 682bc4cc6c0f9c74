import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { runStream } from '../../src/extract/index.ts'
import { openEngine, streamSettings } from '../support/engine.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'
import { landed, tempFolder } from '../types/stage.ts'
import { expectEqual, lookAtBoth, readable, textsOf } from './both-sides.ts'

const settings = streamSettings('public.t', { position: { column: 'at', stampedBy: 'database' } })
const LETTERS = ['é', 'ß', 'ÿ', '£', 'a', '', 'é'.repeat(2_048), 'é'.repeat(2_049), ' é ', 'v1:é', ';é;N']

async function ask(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

/** A database of an encoding, dropped with the server. */
async function encodedDatabase(url: string, name: string, encoding: string): Promise<string> {
  await ask(
    url,
    `drop database if exists ${name} with (force)`,
    `create database ${name} encoding '${encoding}' template template0 locale 'C'`,
  )
  const own = new URL(url)
  own.pathname = `/${name}`
  return own.href
}

async function withEngine(
  sourceUrl: string,
  destinationUrl: string | undefined,
  work: (engine: Awaited<ReturnType<typeof openEngine>>['engine']) => Promise<void>,
): Promise<void> {
  const folder = await tempFolder()
  const { engine, close } = await openEngine({
    sourceUrl,
    destinationUrl: destinationUrl ?? `duckdb://${join(folder, 'copy.duckdb')}`,
    stateDir: join(folder, 'state'),
  })
  await work(engine).finally(close)
}

describe.each(postgresServers())('PostgreSQL $major', (server) => {
  test('sums are the same whatever the defaults of both servers (F8)', async () => {
    const hostile = async (url: string) => {
      const name = new URL(url).pathname.slice(1)
      const defaults = {
        timezone: 'Asia/Kathmandu',
        datestyle: 'SQL, DMY',
        intervalstyle: 'sql_standard',
        bytea_output: 'escape',
        extra_float_digits: '-15',
        standard_conforming_strings: 'off',
        client_encoding: 'LATIN1',
        xmlbinary: 'hex',
        array_nulls: 'off',
      }
      const sets = Object.entries(defaults).map(
        ([key, value]) => `alter database ${name} set ${key} = '${value}'`,
      )
      await ask(server.url, ...sets)
    }
    const create = `create table t (id int primary key, at timestamptz default '2026-01-01 00:00+00', i timestamptz, w timestamp, d date, v interval,
        b bytea, f float8, n numeric(20,4), o tstzrange, l timestamptz[], y text, s float4, j jsonb, t time, z timetz, c circle);
      create index on t (at);
      insert into t values (1, default, '2026-07-01 12:00:00.000001+02', '2026-07-01 12:00', '2026-02-03', '1 year -2 days 03:04:05.6', '\\x00ff5c27',
        0.1::float8 + 0.2, -0.00, '["2026-01-01 00:00+00",infinity)', '{"2026-07-01 00:00+00",NULL}', E'a\\\\b''c', 0.1, '{"a": 1.10}', '12:00', '12:00+02', '<(0.1,0.2),0.30000000000000004>'),
        (2, default, 'infinity', '-infinity', 'infinity', '-1 mon', '', 'NaN', 1.5, 'empty', '{}', '\\', '-0', 'null', '24:00', '00:00-15:59', null)`
    const words: unknown[] = []
    for (const isHostile of [false, true]) {
      const sourceUrl = await freshDatabase(server, 'settings source')
      await ask(sourceUrl, create)
      const targetUrl = await freshDatabase(server, 'settings target')
      if (isHostile) await Promise.all([hostile(sourceUrl), hostile(targetUrl)])
      for (const destinationUrl of [targetUrl, undefined]) {
        await withEngine(sourceUrl, destinationUrl, async (engine) => {
          landed(await runStream(engine, settings))
          await lookAtBoth(engine, settings, async (sides) => {
            await expectEqual(sides)
            words.push(readable(sides.plan, await textsOf(sides.destination, 'row')))
          })
        })
      }
    }
    expect(words[2]).toEqual(words[0])
    expect(words[3]).toEqual(words[1])
  })

  test('a database in another encoding is measured and hashed as UTF-8, on either side (F17)', async () => {
    const names = [`latin_from_${server.major}`, `latin_to_${server.major}`] as const
    const [from, to] = await Promise.all(names.map((name) => encodedDatabase(server.url, name, 'LATIN1')))
    const values = LETTERS.map(
      (letters, i) => `(${i}, '${letters}', '${letters}', 'k${letters.slice(0, 5)}${i}')`,
    ).join(', ')
    const create = [
      `create table t (id int, v text, c char(2100), k text, at timestamptz default '2026-01-01 00:00+00', primary key (k, id))`,
      'create index on t (at)',
      `insert into t values ${values}`,
    ]
    const utf8 = await freshDatabase(server, 'utf8 source')
    const fromLatin = new URL(from!)
    await ask(utf8, ...create)
    await ask(fromLatin.href, `set client_encoding = 'UTF8'`, ...create)
    const rows: unknown[] = []
    for (const [sourceUrl, destinationUrl] of [
      [from!, undefined],
      [utf8, to!],
      [from!, to!],
    ] as const) {
      if (destinationUrl)
        await ask(
          destinationUrl,
          'drop schema public cascade',
          'create schema public',
          'drop schema if exists plimsoll cascade',
        )
      await withEngine(sourceUrl, destinationUrl, async (engine) => {
        landed(await runStream(engine, settings))
        await lookAtBoth(engine, settings, async (sides) => {
          await expectEqual(sides)
          rows.push(await sides.source.sums({ rows: 'all' }, 'row', 3))
          // A key of the other side whose letters this database does not know is no failure.
          for (const look of [sides.source, sides.destination]) {
            expect(await look.find(['v3:€;1', 'v2:é;1'], 'row')).toEqual([])
          }
          await sides.destination.leaveOut(['v3:€;1', `v2:ké0;0`])
          const left = await sides.destination.sums({ rows: 'ordered' }, 'row', 1)
          expect([...left.values()].reduce((sum, { rowCount }) => sum + rowCount, 0n)).toBe(
            BigInt(LETTERS.length),
          )
        })
      })
    }
    expect(rows[1]).toEqual(rows[0])
    expect(rows[2]).toEqual(rows[0])
    await ask(server.url, ...names.map((name) => `drop database ${name} with (force)`))
  })
})
