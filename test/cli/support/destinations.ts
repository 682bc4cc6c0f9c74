import { DuckDBInstance } from '@duckdb/node-api'

/** What a query says of a DuckDB file that nobody else has open. */
export async function queryDuckdb(file: string, sql: string): Promise<readonly (readonly unknown[])[]> {
  const instance = await DuckDBInstance.create(file)
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(sql)).getRows()
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
