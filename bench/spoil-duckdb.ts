import { DuckDBInstance } from '@duckdb/node-api'

/** Changes a DuckDB file behind the program's back: node scripts/run-ts.mjs bench/spoil-duckdb.ts FILE SQL */
const [file = '', sql = ''] = process.argv.slice(2)
const instance = await DuckDBInstance.create(file)
const connection = await instance.connect()
await connection.run(sql)
connection.closeSync()
instance.closeSync()
