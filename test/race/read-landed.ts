import { DuckDBInstance } from '@duckdb/node-api'
import pg from 'pg'

/** What stands at the destination, read after the engine has closed it. */
export interface Landed {
  readonly byKey: ReadonlyMap<string, string>
  /** Rows beyond the first of each key. */
  readonly doubled: number
}

const POSTGRES_COPY = `select cast(id as varchar) as key, concat_ws('|', id, state, amount, updated_at at time zone 'UTC') as content from public.orders`
const SQLITE_COPY = `select cast(id as varchar), concat_ws('|', id, state, updated_at) from main.orders`

/** Reads the copied orders, by key, from a DuckDB file or a PostgreSQL database. */
export async function readLanded(destinationUrl: string): Promise<Landed> {
  if (!destinationUrl.startsWith('duckdb')) return counted(await fromPostgres(destinationUrl))
  return counted(await fromDuckdb(new URL(destinationUrl).pathname, POSTGRES_COPY))
}

/** The same for the copy of a SQLite table, whose stamps are text. */
export async function readSqliteCopy(file: string): Promise<Landed> {
  return counted(await fromDuckdb(file, SQLITE_COPY))
}

function counted(rows: readonly [string, string][]): Landed {
  const byKey = new Map(rows)
  return { byKey, doubled: rows.length - byKey.size }
}

async function fromDuckdb(file: string, sql: string): Promise<[string, string][]> {
  const instance = await DuckDBInstance.create(file)
  const connection = await instance.connect()
  try {
    const result = await connection.runAndReadAll(sql)
    return result.getRows() as [string, string][]
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

async function fromPostgres(url: string): Promise<[string, string][]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query({ text: POSTGRES_COPY, rowMode: 'array' })).rows as [string, string][]
  } finally {
    await client.end()
  }
}
