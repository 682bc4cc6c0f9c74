import { expect, onTestFinished, test } from 'vitest'
import { freshSqliteFile } from '../../../test/support/sqlite-files.ts'
import { openSqliteTable } from '../../../test/support/sqlite-source.ts'
import type { Position } from '../../kernel/position.ts'
import type { OrderDeclaration } from '../source.ts'

async function facts(schema: string, declared: OrderDeclaration, since: Position, until: Position) {
  const { url, db } = freshSqliteFile(schema)
  db.close()
  const table = await openSqliteTable(url, 't', declared)
  onTestFinished(() => table.close())
  const { source, shape, order } = table
  return source.loadFacts!({
    shape,
    order,
    since,
    until,
    censusRows: 1_000,
    queryMaxMs: 1_000,
    lockTimeoutMs: 1_000,
  })
}

const rows = (count: number, at: string): string =>
  `INSERT INTO t (at, body) WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1}) SELECT ${at}, 'x' FROM n;`

test('busiest minute, ties, row sizes and oldest row of ISO texts (A46)', async () => {
  const schema = `CREATE TABLE t (id INTEGER PRIMARY KEY, at TEXT, body TEXT); CREATE INDEX t_at ON t (at);
    ${rows(60, "strftime('%Y-%m-%d %H:%M:%S', '2026-01-01', (i * 10) || ' seconds')")}
    ${rows(40, "'2026-01-01 00:05:30'")} UPDATE t SET body = printf('%.*c', 500, 'y') WHERE id > 95;`
  const text = (value: string): Position => ({ kind: 'text', value })
  const declared = { column: 'at', encoding: 'iso' } as const
  const found = await facts(schema, declared, text('2025-12-01 00:00:00'), text('2026-02-01 00:00:00'))
  expect(found).toMatchObject({
    busiestMinute: { startUs: '1767225900000000', rowCount: 46 },
    rowCount: 100,
    ties: { rowCount: 100, squareSum: 59 + 41 * 41, largest: 41 },
    oldest: text('2026-01-01 00:00:00'),
    connections: undefined,
  })
  expect(found.rowBytesP99).toBeGreaterThan(500)
})

test('epochs have minutes, an empty table has none', async () => {
  const number = (value: bigint): Position => ({ kind: 'integer', value })
  const declared = { column: 'at', flavour: 'epoch', unit: 's' } as const
  const schema =
    'CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, body TEXT); CREATE INDEX t_at ON t (at);'
  const found = await facts(
    `${schema} ${rows(90, '1767225600 + i')}`,
    declared,
    number(0n),
    number(10n ** 12n),
  )
  expect(found.busiestMinute).toEqual({ startUs: '1767225600000000', rowCount: 60 })
  const empty = await facts(schema, declared, number(0n), number(10n ** 12n))
  expect(empty).toMatchObject({ busiestMinute: undefined, ties: undefined, oldest: undefined })
})
