import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_MEMORY_LIMIT_BYTES, useDatabase } from '../../src/destinations/duckdb/database.ts'
import { targetName } from '../../src/destinations/duckdb/target-columns.ts'
import { quoteIdentifier } from '../../src/kernel/sql-text.ts'
import type { LogicalType } from '../../src/kernel/types.ts'
import type { ColumnShape, TableRef } from '../../src/sources/source.ts'
import type { TestRow } from '../../src/testing/destination-rows.ts'
import type { TestStore } from '../../src/testing/destination-setup.ts'

/** For tests: a database file in a folder of its own, read beside the destination in the same process. */
export async function createTestStore(): Promise<TestStore & { readonly path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-test-'))
  const path = join(folder, 'store.duckdb')
  const readRows = async (table: TableRef, columns: readonly ColumnShape[]): Promise<TestRow[]> => {
    const database = await useDatabase(path, DEFAULT_MEMORY_LIMIT_BYTES)
    try {
      const values = columns.map(({ name, type }) => wireText(quoteIdentifier(name), type))
      const name = targetName(database.catalog, table)
      // As JSON: the driver's own texts lose a byte order mark they begin with.
      const rows = await database.reader.rows(`SELECT to_json([${values.join(', ')}])::VARCHAR FROM ${name}`)
      return rows.map(([row]) => JSON.parse(String(row)))
    } finally {
      await database.release()
    }
  }
  const execute = async (sql: string): Promise<void> => {
    const database = await useDatabase(path, DEFAULT_MEMORY_LIMIT_BYTES)
    await database.reader.run(sql).finally(() => database.release())
  }
  return {
    url: `duckdb://${path}`,
    path,
    schema: 'main',
    readRows,
    execute,
    remove: () => rm(folder, { recursive: true }),
  }
}

/** A value as `plain_csv` carries it. */
function wireText(value: string, type: LogicalType): string {
  switch (type.name) {
    case 'bool':
      return `CASE ${value} WHEN true THEN 't' WHEN false THEN 'f' END`
    case 'bytes':
      return `'\\x' || lower(hex(${value}))`
    case 'numeric':
      return `regexp_replace(${value}::VARCHAR, '^(-?)[.]', '\\10.')`
    case 'timestamptz':
      return `coalesce(make_timestamp(epoch_us(${value}))::VARCHAR, ${value}::VARCHAR)`
    case 'interval': {
      const months = `(datepart('year', ${value}) * 12 + datepart('month', ${value}))`
      const days = `datepart('day', ${value})`
      return `${months} || ' ' || ${days} || ' ' || ${microseconds(value)}`
    }
    case 'list':
      return `to_json(list_transform(${value}, lambda e: ${wireText('e', type.of)}))::VARCHAR`
    default:
      return `${value}::VARCHAR`
  }
}

const microseconds = (value: string): string =>
  `(datepart('hour', ${value})::HUGEINT * 3600000000 + datepart('minute', ${value}) * 60000000 + datepart('microsecond', ${value}))`
