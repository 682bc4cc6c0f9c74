import pg from 'pg'
import type { ProvidedPostgres } from '../../scripts/servers/global-setup.ts'
import { connector } from '../../src/destinations/postgres/index.ts'
import { quoteIdentifier, quoteTable } from '../../src/kernel/sql-text.ts'
import type { LogicalType } from '../../src/kernel/types.ts'
import type { ColumnShape, RowStream, TableRef } from '../../src/sources/source.ts'
import { rawStream, type TestRow } from '../../src/testing/destination-rows.ts'
import type { DestinationSetup, TestStore } from '../../src/testing/destination-setup.ts'
import { freshDatabase } from './servers.ts'

// From 17 on these two are the infinite intervals.
const INFINITE = ['2147483647 2147483647 9223372036854775807', '-2147483648 -2147483648 -9223372036854775808']

const EMPTY = `
  SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend';
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP
      EXECUTE format('DROP SCHEMA %I CASCADE', name);
    END LOOP;
    CREATE SCHEMA public;
  END $$`

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A RowStream of `pg_text` over rows held in memory. */
export function textStream(rows: readonly TestRow[]): RowStream {
  const field = (value: string | null) => value?.replaceAll(/[\\\n\r\t]/g, (char) => ESCAPES[char]!) ?? '\\N'
  const lines = rows.map((row) => `${row.map(field).join('\t')}\n`)
  return { ...rawStream(Buffer.from(lines.join('')), rows.length), format: 'pg_text' }
}

/**
 * What the conformance suite and our own tests need of a server: an empty database a test. Emptied ones serve again,
 * for making and dropping hundreds of databases takes minutes.
 */
export function setupOn(server: ProvidedPostgres): DestinationSetup {
  const empty: string[] = []
  return {
    connector,
    createStore: async () => {
      const url = empty.pop() ?? (await freshDatabase(server, 'postgres destination'))
      return openStore(url, () => empty.push(url))
    },
    refused: server.major >= 17 ? INFINITE.map((value) => `interval ${value}`) : [],
  }
}

async function openStore(url: string, onEmpty: () => void): Promise<TestStore> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  await client.query("SET timezone = 'UTC'; SET extra_float_digits = 3")
  return {
    url,
    schema: 'public',
    readRows: (table, columns) => readRows(client, table, columns),
    execute: async (sql) => void (await client.query(sql)),
    remove: async () => {
      await client.query(EMPTY)
      await client.end()
      onEmpty()
    },
  }
}

async function readRows(
  client: pg.Client,
  table: TableRef,
  columns: readonly ColumnShape[],
): Promise<TestRow[]> {
  const values = columns.map(({ name, type }) => wireText(quoteIdentifier(name), type))
  const text = `SELECT ${values.join(', ')} FROM ${quoteTable(table)}`
  return (await client.query({ text, rowMode: 'array' })).rows
}

/** A value as `plain_csv` carries it. */
function wireText(value: string, type: LogicalType): string {
  switch (type.name) {
    case 'bool':
      return `CASE ${value} WHEN true THEN 't' WHEN false THEN 'f' END`
    case 'date':
      return `regexp_replace(${value}::text, '(.*) BC$', '\\1 (BC)')`
    case 'timestamp':
    case 'timestamptz':
      return `regexp_replace(regexp_replace(${value}::text, '\\+00', ''), '^(\\S+) (.*) BC$', '\\1 (BC) \\2')`
    case 'interval':
      return `(extract(year FROM ${value})::bigint * 12 + extract(month FROM ${value})::bigint) || ' ' ||
        extract(day FROM ${value})::bigint || ' ' || (extract(hour FROM ${value})::numeric * 3600000000
        + extract(minute FROM ${value})::numeric * 60000000 + extract(microsecond FROM ${value})::numeric)::bigint`
    case 'list':
      return `CASE WHEN ${value} IS NULL THEN NULL
        WHEN cardinality(${value}) = 0 THEN '[]'
        WHEN array_ndims(${value}) > 1 OR array_lower(${value}, 1) <> 1 THEN ${value}::text
        ELSE (SELECT '[' || string_agg(coalesce(to_json(${wireText('e.x', type.of)})::text, 'null'), ',' ORDER BY e.n) || ']'
              FROM unnest(${value}) WITH ORDINALITY e(x, n)) END`
    default:
      // A cast to text drops the blanks of bpchar.
      return `CASE WHEN ${value} IS NOT NULL THEN concat(${value}) END`
  }
}
