import { createHash } from 'node:crypto'
import Database from 'better-sqlite3'
import type { ComparisonPlan } from '../../src/kernel/fingerprint/comparison.ts'

/** The table of the rules by which an implementation can be checked, and its sums (F34). */
export const MILLION = 1_000_000
export const MILLION_ROW_SUM = 576228390680570826150681n
export const MILLION_POSITION_SUM = 576635506304779295637656n

export const MILLION_PLAN: ComparisonPlan = {
  columns: [
    { name: 'id', canonical: { name: 'integer' } },
    { name: 'email', canonical: { name: 'text' } },
    { name: 'name', canonical: { name: 'text' } },
    { name: 'country', canonical: { name: 'char' } },
    { name: 'balance', canonical: { name: 'decimal', scale: 2 } },
    { name: 'active', canonical: { name: 'boolean' } },
    { name: 'created_at', canonical: { name: 'instant' } },
    { name: 'updated_at', canonical: { name: 'instant' } },
  ],
  keyCount: 1,
  position: 'updated_at',
  digest: 'md5',
  leftOut: [],
  hash: 'F34',
}

/** In PostgreSQL. */
export function postgresMillion(table: string, rowCount = MILLION): string {
  return `CREATE TABLE ${table} (id bigint PRIMARY KEY, email text, name text, country char(2), balance decimal(12,2), active boolean,
      created_at timestamptz, updated_at timestamptz);
    INSERT INTO ${table} SELECT g, 'user'||g||'@example.com', CASE WHEN g % 50 <> 0 THEN 'Name '||md5(g::text) END,
      (ARRAY['DE','US','FR','ES'])[1 + g % 4], (g % 100000) / 100.0, g % 3 = 0, timestamptz '2024-01-01 00:00+00' + g * interval '1 second',
      timestamptz '2025-01-01 00:00+00' + (g / 3) * interval '1 second' + (g % 1000000) * interval '1 microsecond'
    FROM generate_series(1, ${rowCount}) g;
    ANALYZE ${table}`
}

/** In DuckDB, as it lands there. */
export function duckdbMillion(table: string, rowCount = MILLION): string {
  return `CREATE TABLE ${table} AS SELECT g::BIGINT AS id, 'user'||g||'@example.com' AS email,
      CASE WHEN g % 50 <> 0 THEN 'Name '||md5(g::VARCHAR) END AS name, ['DE','US','FR','ES'][1 + g % 4] AS country,
      ((g % 100000)::DECIMAL(12,2) / 100)::DECIMAL(12,2) AS balance, g % 3 = 0 AS active,
      make_timestamptz(1704067200000000 + g * 1000000) AS created_at,
      make_timestamptz(1735689600000000 + (g // 3) * 1000000 + g % 1000000) AS updated_at, 1::BIGINT AS _plimsoll_seq
    FROM (SELECT unnest(range(1, ${rowCount + 1}))::BIGINT AS g)`
}

/** In a SQLite file: moments as texts of one width, as SQLite keeps them. */
export function sqliteMillion(file: string, rowCount = MILLION): void {
  const db = new Database(file)
  db.pragma('synchronous = OFF')
  db.function('md5', { deterministic: true }, (value) =>
    createHash('md5').update(String(value)).digest('hex'),
  )
  db.exec(`CREATE TABLE million (id INTEGER PRIMARY KEY, email TEXT, name TEXT, country CHAR(2), balance TEXT, active BOOLEAN, created_at TEXT, updated_at TEXT);
    INSERT INTO million WITH RECURSIVE n(g) AS (SELECT 1 UNION ALL SELECT g + 1 FROM n WHERE g < ${rowCount})
    SELECT g, 'user'||g||'@example.com', CASE WHEN g % 50 <> 0 THEN 'Name '||md5(g) END, substr('DEUSFRES', 1 + 2 * (g % 4), 2),
      printf('%d.%02d', (g % 100000) / 100, g % 100), g % 3 = 0, datetime(1704067200 + g, 'unixepoch'),
      datetime(1735689600 + g / 3, 'unixepoch') || printf('.%06d', g % 1000000) FROM n`)
  db.close()
}
