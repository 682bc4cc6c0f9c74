import { describe, expect, test } from 'vitest'
import { freshSqliteFile } from '../../../../test/support/sqlite-files.ts'
import { testContext } from '../../../testing/destination-setup.ts'
import type { OrderDeclaration, TableShape } from '../../source.ts'
import { connector } from '../index.ts'

async function describeOne(schema: string, declared?: OrderDeclaration, name = 't'): Promise<TableShape> {
  const { url } = freshSqliteFile(schema)
  const source = await connector.open({ url, context: testContext(() => {}) })
  try {
    return await source.describe({ schema: 'main', name }, declared)
  } finally {
    await source.close()
  }
}

async function fact(schema: string, column: string, declared?: Partial<OrderDeclaration>) {
  const shape = await describeOne(schema, declared && { column, ...declared })
  return shape.positions.find((position) => position.column === column)!
}

describe('columns', () => {
  test.each([
    ['INTEGER', { name: 'int8' }],
    ['BIGINT UNSIGNED', { name: 'int8' }],
    ['BOOLEAN', { name: 'bool' }],
    ['VARCHAR(20)', { name: 'text' }],
    ['CLOB', { name: 'text' }],
    ['DOUBLE PRECISION', { name: 'float8' }],
    ['FLOAT', { name: 'float8' }],
    ['BLOB', { name: 'bytes' }],
    ['NUMERIC', { name: 'numeric' }],
    ['decimal(10, 2)', { name: 'numeric', precision: 10, scale: 2 }],
    ['DECIMAL(5)', { name: 'numeric', precision: 5, scale: 0 }],
    ['JSON', { name: 'json' }],
    ['DATETIME', { name: 'text' }],
    ['', { name: 'text' }],
  ])('declared %s', async (declared, type) => {
    const shape = await describeOne(`CREATE TABLE t (c ${declared})`)
    expect(shape.columns[0]).toMatchObject({ name: 'c', nativeType: declared, type, nullable: true })
  })

  test('a type that promises nothing is what is stored', async () => {
    const schema = `CREATE TABLE t (a DATETIME, b DATETIME, c, d UUID, e DATETIME DEFAULT CURRENT_TIMESTAMP);
      INSERT INTO t VALUES (NULL, '2026-01-05', x'00', 1.5, 1), (1767607200, NULL, NULL, NULL, NULL)`
    const { columns } = await describeOne(schema)
    expect(columns.map((column) => column.type.name)).toEqual(['int8', 'text', 'bytes', 'float8', 'text'])
  })

  test('the hash stands for names, types, collations and nullability, not for what is stored', async () => {
    const hash = async (body: string) => (await describeOne(`CREATE TABLE t (${body})`)).schemaHash
    const base = await hash('a DATETIME, b TEXT')
    const { url, db } = freshSqliteFile('CREATE TABLE t (a DATETIME, b TEXT); INSERT INTO t VALUES (5, 1)')
    const source = await connector.open({ url, context: testContext(() => {}) })
    expect((await source.describe({ schema: 'main', name: 't' })).schemaHash).toBe(base)
    db.exec("UPDATE t SET a = 'x'; CREATE INDEX i ON t (a)")
    expect((await source.describe({ schema: 'main', name: 't' })).schemaHash).toBe(base)
    await source.close()
    const others = ['a DATETIME, c TEXT', 'a DATETIME, b INT', 'a DATETIME, b TEXT NOT NULL']
    for (const other of [...others, 'a DATETIME, b TEXT COLLATE NOCASE', 'b TEXT, a DATETIME']) {
      expect(await hash(other)).not.toBe(base)
    }
  })

  test('generated columns are there, names may hold anything', async () => {
    const shape = await describeOne(
      `CREATE TABLE "odd ""name'" ("a""b" INTEGER PRIMARY KEY, "c d" AS ("a""b" + 1), e AS (1) STORED)`,
      undefined,
      `odd "name'`,
    )
    expect(shape.columns.map((column) => column.name)).toEqual(['a"b', 'c d', 'e'])
    expect(shape.keys).toEqual([{ columns: ['a"b'], origin: 'primary_key' }])
  })
})

describe('keys', () => {
  test.each([
    ['id INTEGER PRIMARY KEY', '', [['id']]],
    ['id INT PRIMARY KEY', '', []],
    ['id INT NOT NULL PRIMARY KEY', '', [['id']]],
    ['id TEXT PRIMARY KEY', 'WITHOUT ROWID', [['id']]],
    ['a INT NOT NULL, b INT NOT NULL, PRIMARY KEY (b, a)', '', [['b', 'a']]],
    ['a INT NOT NULL UNIQUE, b INT UNIQUE', '', [['a']]],
    ['id INTEGER PRIMARY KEY DESC', '', []],
  ])('%s %s', async (body, option, keys) => {
    const shape = await describeOne(`CREATE TABLE t (${body}) ${option}`)
    expect(shape.keys.map((key) => key.columns)).toEqual(keys)
  })

  test('partial and expression indexes are none', async () => {
    const shape = await describeOne(`CREATE TABLE t (a INT NOT NULL, b INT NOT NULL);
      CREATE UNIQUE INDEX i ON t (a) WHERE b > 0; CREATE UNIQUE INDEX j ON t (a + 1); CREATE UNIQUE INDEX k ON t (b)`)
    expect(shape.keys).toEqual([{ columns: ['b'], origin: 'unique_index' }])
    expect(shape.positions.map((position) => position.indexed)).toEqual([false, true])
  })
})

describe('positions', () => {
  const STAMP = 'at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP'

  test('the column that looks like "changed at" wins; creation never does', async () => {
    const shape =
      await describeOne(`CREATE TABLE t (id INTEGER PRIMARY KEY, created_at TEXT DEFAULT CURRENT_TIMESTAMP,
        updated_at TEXT DEFAULT CURRENT_TIMESTAMP, name TEXT);
      CREATE INDEX i ON t (updated_at);
      CREATE TRIGGER touch AFTER UPDATE ON t BEGIN
        UPDATE t SET updated_at = CURRENT_TIMESTAMP WHERE id = NEW.id; END;`)
    const scores = Object.fromEntries(shape.positions.map(({ column, score }) => [column, score]))
    expect(scores).toMatchObject({ id: 0, created_at: 0, name: 0 })
    expect(scores.updated_at).toBeGreaterThan(80)
    const best = shape.positions.find((position) => position.column === 'updated_at')!
    expect(best.evidence).toEqual(['default CURRENT_TIMESTAMP', 'trigger touch', 'may be NULL'])
    expect(best.order).toMatchObject({
      encoding: 'iso',
      template: 'YYYY-MM-DD HH:MM:SS',
      stampedBy: 'unknown',
    })
  })

  test('the values decide the template, else the default', async () => {
    const seen = await fact(
      `CREATE TABLE t (${STAMP}); INSERT INTO t VALUES ('2026-01-05T10:00:00.123Z')`,
      'at',
      {},
    )
    expect(seen.order).toMatchObject({ template: 'YYYY-MM-DDTHH:MM:SS.SSSZ', tick: 1_000n })
    const fresh = await fact(`CREATE TABLE t (${STAMP})`, 'at', {})
    expect(fresh.order).toMatchObject({ template: 'YYYY-MM-DD HH:MM:SS', grain: 60_000_000n })
    expect((await fact('CREATE TABLE t (at TEXT)', 'at', {})).refused).toContain('no default')
    expect((await fact('CREATE TABLE t (at TEXT)', 'at', { encoding: 'iso' })).order?.template).toBe(
      'YYYY-MM-DD HH:MM:SS',
    )
  })

  test.each([
    [19, 1, 60n],
    [20, 1, 1n],
    [40, 60, 60n],
    [40, 300, 300n],
    [40, 86_400, 86_400n],
  ])('%i values %i s apart show a grain of %i s', async (count, apart, seconds) => {
    const { order } = await fact(
      `CREATE TABLE t (${STAMP}); CREATE INDEX i ON t (at);
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT ${count})
      INSERT INTO t SELECT datetime('2026-01-05', (i * ${apart}) || ' seconds') FROM n, (SELECT 1 UNION ALL SELECT 2)`,
      'at',
      {},
    )
    expect(order?.grain).toBe(seconds * 1_000_000n)
  })

  test.each([
    ['at TEXT COLLATE NOCASE', {}, 'NOCASE'],
    ['at TEXT COLLATE RTRIM', {}, 'RTRIM'],
    ['at REAL', {}, 'float'],
    ['at BLOB', {}, 'no exact order'],
    ['at INTEGER PRIMARY KEY', {}, 'rowids are used again'],
    ['at INTEGER', {}, 'AUTOINCREMENT'],
    ['at INTEGER', { flavour: 'sequence' }, 'AUTOINCREMENT'],
    ['at INTEGER', { flavour: 'epoch' }, 'unit'],
    ["at TEXT DEFAULT (datetime('now', 'localtime'))", {}, 'local time'],
    ['at TEXT DEFAULT CURRENT_TIMESTAMP', { kind: 'timestamptz' }, 'declared timestamptz'],
    [
      'at TEXT DEFAULT CURRENT_TIMESTAMP',
      { grain: 1_500_000n },
      'grain of 1500 ms is no multiple of its smallest step, 1 s',
    ],
    ['at STRING', { encoding: 'ulid' }, 'makes numbers'],
  ] as const)('%s with %o is refused: %s', async (body, declared, why) => {
    expect((await fact(`CREATE TABLE t (${body})`, 'at', declared)).refused).toContain(why)
  })

  test.each([
    ['at INTEGER DEFAULT (unixepoch())', {}, { flavour: 'epoch', unit: 's' }],
    ['at INTEGER', { unit: 'ms' }, { flavour: 'epoch', unit: 'ms' }],
    ['at INTEGER PRIMARY KEY AUTOINCREMENT', {}, { flavour: 'sequence' }],
    ['at TEXT', { encoding: 'ulid' }, { encoding: 'ulid' }],
    ['at TEXT', { encoding: 'uuidv7' }, { encoding: 'uuidv7' }],
  ] as const)('%s with %o is accepted', async (body, declared, order) => {
    expect((await fact(`CREATE TABLE t (${body})`, 'at', declared)).order).toMatchObject(order)
  })

  test('AUTOINCREMENT in a comment or text makes no sequence', async () => {
    const body = `id INTEGER PRIMARY KEY /* AUTOINCREMENT */, v TEXT DEFAULT 'AUTOINCREMENT' -- AUTOINCREMENT\n`
    expect((await fact(`CREATE TABLE t (${body})`, 'id', {})).refused).toContain('rowids')
  })

  test('an index under another collation does not serve', async () => {
    const schema = `CREATE TABLE t (${STAMP}); CREATE INDEX i ON t (at COLLATE NOCASE)`
    expect((await fact(schema, 'at', {})).indexed).toBe(false)
  })

  test('a collation only the application knows is named', async () => {
    const { url, db } = freshSqliteFile('CREATE TABLE t (id INTEGER PRIMARY KEY)')
    db.unsafeMode()
    db.pragma('writable_schema = ON')
    db.exec(
      `UPDATE sqlite_schema SET sql = 'CREATE TABLE t (id INTEGER PRIMARY KEY, at TEXT COLLATE german)'`,
    )
    db.close()
    const source = await connector.open({ url, context: testContext(() => {}) })
    const shape = await source.describe({ schema: 'main', name: 't' }, { column: 'at', encoding: 'iso' })
    expect(shape.positions[1]?.refused).toContain('german')
    await source.close()
  })
})

describe('the file', () => {
  test('lists tables and views, without SQLite’s own', async () => {
    const { url } =
      freshSqliteFile(`CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO a DEFAULT VALUES;
      CREATE VIEW b AS SELECT * FROM a; CREATE VIRTUAL TABLE c USING fts5(x);`)
    const source = await connector.open({ url, context: testContext(() => {}) })
    expect((await source.list()).map((each) => [each.table.name, each.kind, each.rowCountEstimate])).toEqual([
      ['a', 'table', 1],
      ['b', 'view', undefined],
      ['c', 'table', undefined],
    ])
    await source.close()
  })

  test('a view is described, without key', async () => {
    const shape = await describeOne(
      'CREATE TABLE a (id INTEGER PRIMARY KEY, at TEXT); CREATE VIEW t AS SELECT id, at FROM a',
    )
    expect(shape).toMatchObject({ kind: 'view', keys: [] })
    expect(shape.columns.map((column) => column.type.name)).toEqual(['int8', 'text'])
  })
})
