import { describe, expect, test } from 'vitest'
import { openSession, openSource, testContext } from '../../../../test/support/postgres-source.ts'
import { freshDatabase, postgresServers } from '../../../../test/support/servers.ts'
import type { OrderDeclaration, TableShape } from '../../source.ts'

const HOUR = 3_600_000_000n
const MINUTE = 60_000_000n

describe.each(postgresServers())('tables of PostgreSQL $major', (server) => {
  const setUp = async (name: string, statements: string) => {
    const url = await freshDatabase(server, name)
    const sql = await openSession(url)
    await sql(statements)
    const context = testContext()
    const source = openSource(url, { context })
    const shapeOf = (table: string, declared?: OrderDeclaration) =>
      source.describe({ schema: 'public', name: table }, declared)
    return { url, sql, source, shapeOf, notes: context.notes }
  }
  const fact = (shape: TableShape, column: string) => shape.positions.find((each) => each.column === column)!

  test('columns have exact types; domains are what they are made from', async () => {
    const { shapeOf, sql } = await setUp(
      'columns',
      `CREATE SCHEMA "odd ""s"; CREATE TYPE "odd ""s"."Mo.od" AS ENUM ('a'); CREATE DOMAIN short AS varchar(20);
       CREATE DOMAIN shorter AS short CHECK (value <> ''); CREATE DOMAIN ints AS int[];
       CREATE TABLE t (a numeric(38,10), b "odd ""s"."Mo.od", c shorter NOT NULL, d ints, e short[], f timestamptz(3),
         g text COLLATE "C", h int2vector, i regclass, j "odd ""s"."Mo.od"[], gone int, PRIMARY KEY (c));
       ALTER TABLE t DROP COLUMN gone`,
    )
    const shape = await shapeOf('t')
    const shown = shape.columns.map((c) => [c.name, c.nativeType, c.type, c.builtin, c.nullable, c.collation])
    expect(shown).toEqual([
      ['a', 'numeric(38,10)', { name: 'numeric', precision: 38, scale: 10 }, true, true, undefined],
      ['b', '"odd ""s"."Mo.od"', { name: 'opaque' }, false, true, undefined],
      ['c', 'character varying(20)', { name: 'text' }, true, false, 'default'],
      ['d', 'integer[]', { name: 'list', of: { name: 'int4' } }, true, true, undefined],
      ['e', '"public".short[]', { name: 'list', of: { name: 'text' } }, false, true, 'default'],
      ['f', 'timestamp(3) with time zone', { name: 'timestamptz' }, true, true, undefined],
      ['g', 'text', { name: 'text' }, true, true, 'C'],
      ['h', 'int2vector', { name: 'opaque' }, true, true, undefined],
      ['i', 'regclass', { name: 'opaque' }, false, true, undefined],
      ['j', '"odd ""s"."Mo.od"[]', { name: 'list', of: { name: 'opaque' } }, false, true, undefined],
    ])
    const again = await shapeOf('t')
    expect(again.schemaHash).toBe(shape.schemaHash)
    await sql('ALTER TABLE t ALTER COLUMN a TYPE numeric(38,11)')
    expect((await shapeOf('t')).schemaHash).not.toBe(shape.schemaHash)
    expect((await shapeOf('t')).objectId).toBe(shape.objectId)
  })

  test('keys are unique, valid, total, immediate and without NULLs', async () => {
    const { shapeOf } = await setUp(
      'keys',
      `CREATE TABLE t (a int NOT NULL, b int NOT NULL, c int, d int NOT NULL, e text NOT NULL);
       CREATE UNIQUE INDEX t_b ON t (b, d) INCLUDE (e); CREATE UNIQUE INDEX ON t (c);
       CREATE UNIQUE INDEX ON t (d) WHERE d > 0; CREATE UNIQUE INDEX ON t (lower(e));
       ALTER TABLE t ADD UNIQUE (a) DEFERRABLE; ALTER TABLE t ADD PRIMARY KEY (d, a);
       CREATE TABLE parent (id int PRIMARY KEY); CREATE TABLE child () INHERITS (parent);
       CREATE TABLE parted (id int, u timestamptz, PRIMARY KEY (id, u)) PARTITION BY RANGE (u);
       CREATE VIEW v AS SELECT * FROM t; CREATE MATERIALIZED VIEW m AS SELECT * FROM t; CREATE UNIQUE INDEX ON m (a)`,
    )
    expect((await shapeOf('t')).keys).toEqual([
      { columns: ['d', 'a'], origin: 'primary_key' },
      { columns: ['b', 'd'], origin: 'unique_index' },
    ])
    expect((await shapeOf('parent')).keys).toEqual([])
    expect((await shapeOf('child')).keys).toEqual([])
    expect(await shapeOf('parted')).toMatchObject({ kind: 'partitioned', keys: [{ columns: ['id', 'u'] }] })
    expect(await shapeOf('v')).toMatchObject({ kind: 'view', keys: [] })
    expect(await shapeOf('m')).toMatchObject({ kind: 'view', keys: [] })
  })

  test('the column that changes with every update scores highest, a moment of creation nothing', async () => {
    const { shapeOf } = await setUp(
      'scores',
      `CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.stamp := now(); RETURN NEW; END';
       CREATE TABLE a (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, created_at timestamptz DEFAULT now(),
         updated_at timestamptz NOT NULL DEFAULT now(), shipped timestamptz, weight float8, note text COLLATE "en-x-icu");
       CREATE INDEX ON a (updated_at);
       CREATE TABLE b (id serial PRIMARY KEY, stamp timestamptz, "updatedAt" timestamptz);
       CREATE TRIGGER touch_b BEFORE INSERT OR UPDATE ON b FOR EACH ROW EXECUTE FUNCTION touch()`,
    )
    const a = await shapeOf('a')
    expect(fact(a, 'updated_at')).toMatchObject({
      order: { kind: 'timestamptz', tick: 1n, stampedBy: 'unknown' },
      indexed: true,
      nullable: false,
      evidence: ['default now()'],
    })
    expect(fact(a, 'updated_at').score).toBe(72)
    expect(fact(a, 'created_at').score).toBe(0)
    expect(fact(a, 'shipped')).toMatchObject({
      score: 0,
      evidence: ['no default, no trigger', 'may be NULL'],
    })
    expect(fact(a, 'id')).toMatchObject({ order: { kind: 'integer', flavour: 'sequence' }, score: 10 })
    expect(fact(a, 'weight')).toMatchObject({
      order: undefined,
      refused: 'double precision has no exact order',
    })
    const b = await shapeOf('b')
    expect(fact(b, 'stamp').evidence).toContain('trigger touch_b')
    expect(fact(b, 'stamp').score).toBe(50)
    expect(fact(b, 'updatedAt').score).toBe(60)
    expect(fact(b, 'id')).toMatchObject({ score: 10, evidence: [expect.stringContaining('nextval')] })
  })

  test('PREC-6: text orders only under a byte collation, and is refused by its name otherwise', async () => {
    const { shapeOf } = await setUp(
      'collations',
      `CREATE TABLE t (a text COLLATE "en-x-icu", b text COLLATE "C", c text COLLATE "ucs_basic", d text, e char(26) COLLATE "C")`,
    )
    const asked = async (column: string) => fact(await shapeOf('t', { column, encoding: 'ulid' }), column)
    expect((await asked('a')).refused).toContain('en-x-icu')
    expect((await asked('b')).order).toMatchObject({ kind: 'text', encoding: 'ulid', collation: 'C' })
    expect((await asked('c')).order).toBeDefined()
    // The test server was made with --locale=C.
    expect((await asked('d')).order).toBeDefined()
    expect((await asked('e')).refused).toContain('does not compare as bytes')
    expect(fact(await shapeOf('t'), 'b').refused).toContain('encoding')
  })

  test('a database under a linguistic collation refuses its default', async () => {
    const { sql, url } = await setUp('linguistic', 'SELECT 1')
    const name = `t_icu_${Math.floor(performance.now() * 1000)}`
    await sql(`CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'`)
    const there = new URL(url)
    there.pathname = `/${name}`
    const source = openSource(there.href)
    const inside = await openSession(there.href)
    await inside('CREATE TABLE t (a text)')
    const shape = await source.describe({ schema: 'public', name: 't' }, { column: 'a', encoding: 'ulid' })
    expect(fact(shape, 'a').refused).toMatch(/default, en-US \(ICU\)/)
    await source.close()
    await sql(`DROP DATABASE ${name} WITH (FORCE)`)
  })

  test('wall times need a zone, declared or said by their default', async () => {
    const { shapeOf } = await setUp(
      'zones',
      `CREATE TABLE t (a timestamp DEFAULT now(), b timestamp(0) DEFAULT (now() AT TIME ZONE 'Europe/Berlin'),
        c timestamp DEFAULT timezone('utc', now()), d date DEFAULT current_date)`,
    )
    const shape = await shapeOf('t')
    expect(fact(shape, 'a').refused).toContain('declare the zone')
    expect(fact(shape, 'b').order).toMatchObject({
      kind: 'timestamp',
      zone: 'Europe/Berlin',
      tick: 1_000_000n,
    })
    expect(fact(shape, 'c').order).toMatchObject({ zone: 'utc' })
    expect(fact(shape, 'd').refused).toContain('declare the zone')
    const declared = await shapeOf('t', { column: 'd', zone: 'America/Chicago', stampedBy: 'database' })
    expect(fact(declared, 'd').order).toMatchObject({
      kind: 'date',
      zone: 'America/Chicago',
      grain: 24n * HOUR,
      stampedBy: 'database',
    })
  })

  test('the grain is what the newest values show, and a minute for too few', async () => {
    const { shapeOf, sql } = await setUp(
      'grains',
      `CREATE TABLE t (u timestamptz(3), few timestamptz); CREATE INDEX ON t (u);
       INSERT INTO t SELECT '2025-01-01Z'::timestamptz + g * interval '1 hour' FROM generate_series(1, 40) g, generate_series(1, 9);
       INSERT INTO t VALUES ('infinity', now()), ('-infinity', NULL), (NULL, NULL)`,
    )
    const grain = async (declared: OrderDeclaration) =>
      fact(await shapeOf('t', declared), declared.column).order?.grain
    expect(await grain({ column: 'u' })).toBe(HOUR)
    expect(await grain({ column: 'u', grain: 24n * HOUR })).toBe(24n * HOUR)
    expect(await grain({ column: 'few' })).toBe(MINUTE)
    expect(await grain({ column: 'few', grain: 1_000_000n })).toBe(1_000_000n)
    await sql(`INSERT INTO t VALUES ('2025-01-01 00:00:00.125Z')`)
    expect(await grain({ column: 'u' })).toBe(1_000n)
  })

  test('moments as numbers and texts are cut to minutes too (E5)', async () => {
    const { sql, shapeOf } = await setUp(
      'grain of other moments',
      `CREATE TABLE t (s bigint, ms numeric(18,0), ns bigint, d text COLLATE "C");
       CREATE INDEX ON t (s); CREATE INDEX ON t (ms); CREATE INDEX ON t (ns); CREATE INDEX ON t (d)`,
    )
    const grain = async (declared: OrderDeclaration) =>
      fact(await shapeOf('t', declared), declared.column).order?.grain
    expect(await grain({ column: 's', unit: 's' })).toBe(60n)
    expect(await grain({ column: 's', unit: 's', grain: 1n })).toBe(1n)
    await sql(`INSERT INTO t SELECT 1760000040 + 60 * g, (1760000040 + 60 * g) * 1000::numeric, (1760000040 + 60 * g) * 1000000000::bigint,
      to_char(to_timestamp(1760000040 + 60 * g) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') FROM generate_series(1, 25) g`)
    expect(await grain({ column: 's', unit: 's', grain: 1n })).toBe(60n)
    expect(await grain({ column: 'ms', unit: 'ms' })).toBe(60_000n)
    expect(await grain({ column: 'ns', unit: 'ns' })).toBe(60_000_000_000n)
    expect(await grain({ column: 'd', encoding: 'iso' })).toBe(60_000_000n)
    await sql(`INSERT INTO t VALUES (1760009999, 1760009999001, 1760009999000001007, '2025-10-09 11:33:19')`)
    expect(await grain({ column: 's', unit: 's' })).toBe(1n)
    expect(await grain({ column: 'ms', unit: 'ms' })).toBe(1n)
    expect(await grain({ column: 'ns', unit: 'ns' })).toBe(1_000n)
    expect(await grain({ column: 'd', encoding: 'iso' })).toBe(1_000_000n)
  })

  test('declared moments as numbers and texts become orders', async () => {
    const { shapeOf } = await setUp(
      'declared',
      `CREATE TABLE t (a bigint, b numeric(18,0), c uuid, d text COLLATE "C", e int, f numeric(18,2), g numeric);
       INSERT INTO t (d) VALUES ('2025-01-01T00:00:00.123Z')`,
    )
    const asked = async (declared: OrderDeclaration) => fact(await shapeOf('t', declared), declared.column)
    expect((await asked({ column: 'a', unit: 'ms' })).order).toMatchObject({
      flavour: 'epoch',
      unit: 'ms',
      tick: 1n,
    })
    expect((await asked({ column: 'b', flavour: 'sequence' })).order).toMatchObject({ flavour: 'sequence' })
    expect((await asked({ column: 'c', encoding: 'uuidv7' })).order).toMatchObject({ kind: 'text' })
    const iso = await asked({ column: 'd', encoding: 'iso' })
    expect(iso.order).toMatchObject({ template: 'YYYY-MM-DDTHH:MM:SS.SSSZ', tick: 1_000n })
    expect((await asked({ column: 'a', flavour: 'epoch' })).refused).toContain('unit')
    expect((await asked({ column: 'e' })).refused).toContain('flavour: sequence')
    expect((await asked({ column: 'f', flavour: 'sequence' })).refused).toContain('exact integer')
    expect((await asked({ column: 'g', flavour: 'sequence' })).refused).toContain('exact integer')
    expect((await asked({ column: 'a', unit: 's', kind: 'timestamptz' })).refused).toContain(
      'declared timestamptz',
    )
  })

  test('a name that is no table brings the nearest ones', async () => {
    const { shapeOf, source } = await setUp(
      'names',
      'CREATE TABLE orders (id int); CREATE TABLE customers (id int)',
    )
    await expect(shapeOf('order')).rejects.toMatchObject({
      code: 'TABLE_NOT_FOUND',
      hint: expect.stringContaining('public.orders'),
    })
    await expect(source.describe({ schema: 'Public', name: 'orders' })).rejects.toMatchObject({
      hint: expect.stringContaining('public.orders'),
    })
  })

  test('the list holds tables and views, and a partitioned table once', async () => {
    const { source, notes, shapeOf } = await setUp(
      'list',
      `CREATE TABLE p (id int, u timestamptz) PARTITION BY RANGE (u);
       CREATE TABLE p1 PARTITION OF p FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
       INSERT INTO p SELECT g, '2025-06-01' FROM generate_series(1, 500) g; ANALYZE p;
       CREATE UNLOGGED TABLE u (id int); CREATE TEMP TABLE gone (id int); CREATE VIEW v AS SELECT 1 AS one`,
    )
    const list = await source.list()
    expect(list.map(({ table, kind }) => [table.name, kind])).toEqual([
      ['p', 'partitioned'],
      ['u', 'table'],
      ['v', 'view'],
    ])
    expect(list[0]).toMatchObject({ rowCountEstimate: 500 })
    expect(list[0]!.byteSize).toBeGreaterThan(8_000)
    expect((await shapeOf('p')).rowCountEstimate).toBe(500)
    await shapeOf('u')
    expect(notes.join()).toContain('unlogged')
  })
})
