import pg from 'pg'
import { to } from 'pg-copy-streams'

// Reads a table by COPY to nothing, in a Node process of its own: node scripts/run-ts.mjs bench/raw-copy.ts URL TABLE
const [url, table] = process.argv.slice(2) as [string, string]
const client = new pg.Client({ connectionString: url })
await client.connect()
const startedMs = performance.now()
let byteSize = 0
const stream = client.query(to(`copy (select * from ${table} where updated_at < now()) to stdout`))
for await (const chunk of stream) byteSize += (chunk as Buffer).length
const ms = performance.now() - startedMs
await client.end()
process.stdout.write(`${JSON.stringify({ ms, byteSize })}\n`)
