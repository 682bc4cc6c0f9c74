import { DuckDBInstance } from '@duckdb/node-api'
import pg from 'pg'
import type { ComparisonPlan } from '../../src/kernel/fingerprint/comparison.ts'
import { duckdbDigest, duckdbExpressions, duckdbWord } from '../../src/kernel/fingerprint/sql/duckdb.ts'
import {
  type PostgresDialect,
  postgresDigest,
  postgresExpressions,
  postgresWord,
  type RowExpressions,
} from '../../src/kernel/fingerprint/sql/postgres.ts'
import { freshDatabase, type postgresServers } from '../support/servers.ts'

export type Rows = readonly (readonly (string | null)[])[]

/** An engine with its own SQL of canonical texts; rows come as texts. */
export interface SqlEngine {
  readonly kind: 'postgres' | 'duckdb'
  ask(sql: string): Promise<Rows>
  expressions(plan: ComparisonPlan, nativeTypes?: ReadonlyMap<string, string>): RowExpressions
  digest(text: string, digest: ComparisonPlan['digest']): string
  word(digest: string): string
  close(): Promise<void>
}

export async function openPostgres(
  server: ReturnType<typeof postgresServers>[number],
  name: string,
  dialect: Partial<PostgresDialect> = {},
): Promise<SqlEngine> {
  const client = new pg.Client({
    connectionString: await freshDatabase(server, name),
    types: { getTypeParser: () => String },
  })
  client.on('error', () => {})
  await client.connect()
  await client.query("SET timezone = 'UTC'; SET intervalstyle = 'postgres'; SET extra_float_digits = 1")
  const whole: PostgresDialect = {
    digest: 'md5',
    isUtf8: true,
    versionNumber: server.major * 10_000,
    nativeTypes: new Map(),
    ...dialect,
  }
  return {
    kind: 'postgres',
    async ask(sql) {
      const answer = await client.query({ text: sql, rowMode: 'array' })
      return (Array.isArray(answer) ? answer.at(-1) : answer).rows
    },
    expressions: (plan, nativeTypes = new Map()) =>
      postgresExpressions(plan, { ...whole, digest: plan.digest, nativeTypes }, 't'),
    digest: (text, digest) => postgresDigest(text, { ...whole, digest }),
    word: postgresWord,
    close: () => client.end(),
  }
}

export async function openDuckdb(): Promise<SqlEngine> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' })
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  return {
    kind: 'duckdb',
    async ask(sql) {
      const rows = (await connection.runAndReadAll(sql)).getRows()
      return rows.map((row) => row.map((value) => (value === null ? null : String(value))))
    },
    expressions: (plan) => duckdbExpressions(plan, 't'),
    digest: duckdbDigest,
    word: duckdbWord,
    async close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

/** A plan over columns that a test made up; the hash stands for nothing. */
export function planOf(
  columns: ComparisonPlan['columns'],
  more: Partial<ComparisonPlan> = {},
): ComparisonPlan {
  return {
    columns,
    keyCount: 1,
    position: columns[0]!.name,
    digest: 'md5',
    leftOut: [],
    hash: 'test',
    ...more,
  }
}
