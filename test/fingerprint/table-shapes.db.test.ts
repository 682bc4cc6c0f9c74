import { describe, expect, test } from 'vitest'
import type { StreamSettings } from '../../src/extract/index.ts'
import { type AssureScene, assureScene, type DestinationKind, quick } from '../assure/scene.ts'

interface Shape {
  readonly name: string
  /** Columns and constraints before `at`. */
  readonly columns: string
  /** One row for each g, `id` g. */
  readonly select: string
  readonly settings?: Partial<StreamSettings>
}

const SHAPES: readonly Shape[] = [
  { name: 'a key of one column', columns: 'id int primary key, v text', select: `g, 'v' || g` },
  {
    name: 'a key of several columns, of every kind that a key can have',
    columns: `id int, k text, u uuid, d date, n numeric, m numeric(12,4), b boolean, y bytea, c char(5), z timestamptz, w timestamp, f float8, j money, i interval,
      t time, o inet, v text, primary key (k, id, u, d, n, m, b, y, c, z, w, f, t, o)`,
    select: `g, case g % 5 when 0 then '' when 1 then 'é;' || g when 2 then ' a ' when 3 then repeat('ß', 2100) else 'v1:N' end, md5(g::text)::uuid,
      case when g % 7 = 0 then 'infinity' else date '0044-03-15 BC' + g end, g / 7.0, g / 8.0, g % 2 = 0, decode(md5(g::text), 'hex'), 'c' || g % 3,
      case when g % 11 = 0 then '-infinity' else timestamptz '0001-01-01 00:00+00' + g * interval '1 microsecond' end, timestamp '1969-12-31 23:59:59.999999' + g * interval '1 day',
      case g % 4 when 0 then 'NaN' when 1 then '-Infinity' when 2 then -0.0 else g / 3.0 end, g::numeric::money, g * interval '1 mon -1 day', time '23:59:59.999999', '10.0.0.1', 'v' || g`,
  },
  {
    name: 'a key that holds NULL (nullKeys: match)',
    columns: 'id int, k text, v text',
    select: `g, case when g % 10 = 0 then null else 'k' || g end, 'v' || g`,
    settings: { key: ['k', 'id'], nullKeys: 'match' },
  },
  {
    name: 'history',
    columns: 'id int primary key, v text',
    select: `g, 'v' || g`,
    settings: { mode: 'history' },
  },
  {
    name: 'history with keys that hold NULL',
    columns: 'id int, k text, v text',
    select: `g, case when g % 10 = 0 then null else 'k' || g end, 'v' || g`,
    settings: { mode: 'history', key: ['k', 'id'], nullKeys: 'match' },
  },
  {
    name: 'no key, with rows that stand twice',
    columns: 'id int, v text',
    select: `g / 2, 'v' || g / 2`,
    settings: { appendOnly: true },
  },
  {
    name: 'columns taken as text',
    columns: `id int primary key, v text, y bytea, a int[], c char(5), j jsonb, f float8, b boolean, i interval, d date, m money, n numeric(8,2), s bit(3), z timestamptz`,
    select: `g, 'v' || g, '\\x00ff', array[g, null], 'c', '{"b": 1.00}', g / 7.0, g % 2 = 0, g * interval '1 day 25 hours', '0044-03-15 BC', 5, 1.5, B'101', 'infinity'`,
    settings: { asText: ['y', 'a', 'c', 'j', 'f', 'b', 'i', 'd', 'm', 'n', 's', 'z'] },
  },
]

const ROWS = 200

function inScene(
  { columns, select, settings, name }: Shape,
  kind: DestinationKind,
  work: (scene: AssureScene) => Promise<void>,
) {
  const setUp = `create table public.t (${columns.replace(/, primary key.*/s, '')}, at timestamptz not null ${/, primary key.*/s.exec(columns)?.[0] ?? ''});
    create index on public.t (at);
    insert into public.t select ${select}, now() - interval '1 day' + (g / 2) * interval '1.000123 seconds' from generate_series(1, ${ROWS}) g;
    analyze public.t`
  const base = quick('public.t', {
    position: { column: 'at', stampedBy: 'database', grain: 1n },
    overlap: { kind: 'fixed', amount: 0n },
    ...settings,
  })
  return assureScene(`shape ${name}`, kind, base, setUp, work)
}

describe.each<DestinationKind>(['duckdb', 'postgres'])('to %s', (kind) => {
  test.each(SHAPES)('both sides are equal, a changed and a lost row are found and repaired: $name', (shape) =>
    inScene(shape, kind, async ({ run, reconcile, audit, repair, spoil, sql }) => {
      expect((await run()).error).toBeUndefined()
      expect((await audit()).counts).toMatchObject({ equal: ROWS, findings: 0 })
      expect((await reconcile()).counts).toMatchObject({ equal: ROWS, findings: 0 })
      // Versions of history, and rows read again, change nothing.
      if (!shape.settings?.appendOnly) {
        await sql(`update public.t set v = v || '!', at = now() where id = 7; select pg_sleep(0.1)`)
        await run()
        expect((await reconcile()).counts).toMatchObject({ equal: ROWS, findings: 0 })
      }
      await spoil(`update public.t set v = v || ' ' where id = 20; delete from public.t where id = 30`)
      const { counts, findings, checkId } = await reconcile()
      if (shape.settings?.appendOnly) {
        expect(counts).toMatchObject({ equal: ROWS - 4 })
        expect(findings.length).toBeGreaterThan(0)
        return
      }
      expect(counts).toMatchObject({ equal: ROWS - 2 })
      expect(findings.map(({ verdict }) => verdict).sort()).toEqual(['LOST', 'UNBUMPED'])
      expect((await repair({ keys: { kind: 'findings', ids: [checkId] } })).closedFindings).toBe(2)
      expect((await reconcile()).counts).toMatchObject({ equal: ROWS, findings: 0 })
    }),
  )
})
