import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quoteIdentifier } from '../../kernel/sql-text.ts'
import type { LogicalType } from '../../kernel/types.ts'
import type { ColumnShape, TableRef } from '../../sources/source.ts'
import type { TestRow } from '../../testing/destination-rows.ts'
import type { TestStore } from '../../testing/destination-setup.ts'
import { DEFAULT_MEMORY_LIMIT_BYTES, useDatabase } from './database.ts'
import { targetName } from './target-columns.ts'

/** For tests: a database file in a folder of its own, read beside the destination in the same process. */
export async function createTestStore(): Promise<TestStore & { readonly path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-test-'))
  const path = join(folder, 'store.duckdb')
  const readRows = async (table: TableRef, columns: readonly ColumnShape[]): Promise<TestRow[]> => {
    const database = await useDatabase(path, DEFAULT_MEMORY_LIMIT_BYTES)
    try {
      const values = columns.map(({ name, type }) => wireText(quoteIdentifier(name), type))
      const name = targetName(database.catalog, table)
      return (await database.reader.rows(`SELECT ${values.join(', ')} FROM ${name}`)) as TestRow[]
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
