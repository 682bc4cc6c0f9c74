import { describe, expect, test } from 'vitest'
import type { StreamSettings } from '../../src/extract/index.ts'
import { streamSettings } from '../support/engine.ts'
import { openSession } from '../support/postgres-source.ts'
import { freshDatabase, ownServer, postgresServers } from '../support/servers.ts'
import { lookAt, said } from './scene.ts'

type Position = NonNullable<StreamSettings['position']>

/** Every kind of position that has moments: its column, what is declared, and an instant as its value. */
const KINDS: Readonly<
  Record<string, readonly [string, Omit<Position, 'column'>, (instant: string) => string]>
> = {
  timestamptz: ['timestamptz', {}, (at) => at],
  'timestamp in Berlin': [
    'timestamp',
    { zone: 'Europe/Berlin' },
    (at) => `(${at}) AT TIME ZONE 'Europe/Berlin'`,
  ],
  'epoch of seconds': ['bigint', { unit: 's' }, (at) => `floor(extract(epoch FROM ${at}))::bigint`],
  'epoch of ms': ['numeric(20,0)', { unit: 'ms' }, (at) => `floor(extract(epoch FROM ${at}) * 1000)`],
  'epoch of ns': ['bigint', { unit: 'ns' }, (at) => `(extract(epoch FROM ${at}) * 1000000)::bigint * 1000`],
  'ISO text': [
    'text COLLATE "C"',
    { encoding: 'iso' },
    (at) => `to_char((${at}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  ],
  ULID: [
    'text COLLATE "C"',
    { encoding: 'ulid' },
    (at) => `ulid_of(floor(extract(epoch FROM ${at}) * 1000)::bigint)`,
  ],
  UUIDv7: [
    'uuid',
    { encoding: 'uuidv7' },
    (at) =>
      `(lpad(to_hex(floor(extract(epoch FROM ${at}) * 1000)::bigint), 12, '0') || '7000' || '8000' || lpad('1', 12, '0'))::uuid`,
  ],
}

const ULID_OF = `CREATE FUNCTION ulid_of(ms bigint) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ((ms >> (5 * (9 - i))) & 31)::int + 1, 1), '' ORDER BY i) || repeat('Z', 16)
  FROM generate_series(0, 9) i $$;`

const unseen = (found: Awaited<ReturnType<typeof lookAt>>) =>
  [...found.all.checks, ...found.all.tables[0]!.checks].filter(
    ({ severity }) => severity === 'could_not_look',
  )

describe.each(postgresServers())('PostgreSQL $major', ({ which }) => {
  test('every kind of position is looked at, and a late, an old and a future row of it are found', async () => {
    const server =
      which === postgresServers()[0]!.which ? await ownServer({ track_commit_timestamp: 'on' }) : undefined
    const url = await freshDatabase(
      server ?? postgresServers().find((each) => each.which === which)!,
      'kinds',
    )
    const sql = await openSession(url)
    await sql(ULID_OF)
    let n = 0
    for (const [kind, [type, declared, value]] of Object.entries(KINDS)) {
      const table = `t${n++}`
      await sql(`CREATE TABLE ${table} (id bigint PRIMARY KEY, p ${type}); CREATE INDEX ON ${table} (p)`)
      await sql(
        `INSERT INTO ${table} SELECT g, ${value(`now() - (60 - g) * interval '1.5 s'`)} FROM generate_series(1, 59) g`,
      )
      await sql(
        `INSERT INTO ${table} VALUES (60, ${value(`now() - interval '9 days'`)}), (61, ${value(`now() + interval '9 days'`)})`,
      )
      const settings = streamSettings(`public.${table}`, { position: { column: 'p', ...declared } })
      const found = await lookAt(url, settings)
      expect(unseen(found), kind).toEqual([])
      expect(said(found.of('L5')), kind).toMatch(/^warning: 1 row is dated up to /)
      expect(found.of('L4').severity, kind).toBe('warning')
      expect(found.of('L4').figures.key, kind).toBe('60')
      expect(found.of('L13').severity, kind).toBe('ok')
      if (server) {
        expect(found.of('L1').figures, kind).toMatchObject({ sample_count: '59' })
        expect(Number(found.of('L1').figures.max_us), kind).toBeGreaterThan(88_000_000)
        expect(Number(found.of('L1').figures.max_us), kind).toBeLessThan(100_000_000)
      }
    }
  })

  test('dates, counters and transaction ids are looked at as far as they go', async () => {
    const url = await freshDatabase(postgresServers().find((each) => each.which === which)!, 'other kinds')
    const sql = await openSession(url)
    await sql(`CREATE TABLE t (id bigserial PRIMARY KEY, d date NOT NULL, x xid8 NOT NULL DEFAULT pg_current_xact_id()); CREATE INDEX ON t (d); CREATE INDEX ON t (x);
      INSERT INTO t (d) SELECT current_date - (g / 10) FROM generate_series(1, 99) g`)
    const by = (position: Position, more: Partial<StreamSettings> = {}) =>
      lookAt(url, streamSettings('public.t', { position, ...more }))
    const date = await by({ column: 'd', zone: 'UTC' })
    expect(unseen(date)).toEqual([])
    expect(said(date.of('L3'))).toBe(
      'note: Up to 10 rows share one day; each page boundary inside a tie would cost a reader with `>` 4.26 rows.',
    )
    expect(said(date.of('L7'))).toContain('no hour repeats in UTC')
    expect(unseen(await by({ column: 'x' }))).toEqual([])
    const counter = await by({ column: 'id' }, { appendOnly: true })
    expect(unseen(counter)).toEqual([])
    expect(said(counter.of('L1'))).toBe('ok: The positions of public.t are not compared with a clock.')
  })

  test('hostile names: every statement and every remedy quotes them', async () => {
    const url = await freshDatabase(postgresServers().find((each) => each.which === which)!, 'hostile')
    const sql = await openSession(url)
    await sql(`CREATE SCHEMA "s'""\\"; CREATE TABLE "s'""\\"."t'""\\ $$" ("k'""\\" int PRIMARY KEY, "p'""\\ $$" timestamptz, "updated_by" text, UNIQUE ("k'""\\"));
      CREATE TABLE "s'""\\"."o'""" (n int REFERENCES "s'""\\"."t'""\\ $$" ON UPDATE CASCADE);
      INSERT INTO "s'""\\"."t'""\\ $$" SELECT g, now() + interval '7 s', 'w''"' FROM generate_series(1, 30) g; INSERT INTO "s'""\\"."t'""\\ $$" VALUES (31, NULL)`)
    const settings = {
      ...streamSettings('a.b', { position: { column: `p'"\\ $$` } }),
      table: { schema: `s'"\\`, name: `t'"\\ $$` },
    }
    const found = await lookAt(url, settings)
    expect(unseen(found)).toEqual([])
    expect(said(found.of('L12'))).toBe(
      `warning: The key of "s'""\\"."t'""\\ $$" can change: "s'""\\"."o'""" follows it with ON UPDATE CASCADE.`,
    )
    for (const name of ['L2', 'L5', 'L8', 'index']) {
      await sql(found.of(name).remedy!.replace('CONCURRENTLY ', ''))
    }
    const cured = await lookAt(url, settings)
    expect([cured.of('L2'), cured.of('L8'), cured.of('index')].map(({ severity }) => severity)).toEqual([
      'ok',
      'ok',
      'ok',
    ])
  })
})
