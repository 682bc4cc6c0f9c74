import pg from 'pg'
import { describe } from 'vitest'
import { testContext } from '../../../test/support/postgres-source.ts'
import { freshDatabase, postgresServers } from '../../../test/support/servers.ts'
import { formatTimestampUs } from '../../kernel/calendar.ts'
import type { SuiteDatabase } from '../../testing/source-setup.ts'
import { sourceSuite } from '../../testing/source-suite.ts'
import { connector } from './index.ts'

const SCHEMA = `
  CREATE TABLE orders (id int PRIMARY KEY, changed_at timestamptz DEFAULT now(), payload text);
  CREATE INDEX ON orders (changed_at)`
const PUT = `INSERT INTO orders VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET changed_at = $2, payload = $3`

describe.each(postgresServers())('PostgreSQL $major', (server) => {
  sourceSuite({
    async create(testName): Promise<SuiteDatabase> {
      const url = await freshDatabase(server, testName)
      const client = await connect(url)
      await client.query(SCHEMA)
      const source = await connector.open({ url, context: testContext() })
      const putText = async (id: number, at: string | null, payload: string | null): Promise<void> => {
        await client.query(PUT, [id, at, payload])
      }
      return {
        source,
        table: { schema: 'public', name: 'orders' },
        declared: { column: 'changed_at', stampedBy: 'database', grain: 1_000_000n },
        async put(rows) {
          await client.query('BEGIN')
          for (const { id, at, payload } of rows) {
            await putText(id, at === null ? null : formatTimestampUs(at, '+00'), payload)
          }
          await client.query('COMMIT')
        },
        async remove(ids) {
          await client.query('DELETE FROM orders WHERE id = ANY ($1)', [ids])
        },
        async openWriter(id) {
          const writer = await connect(url)
          await writer.query('BEGIN')
          await writer.query("INSERT INTO orders (id, payload) VALUES ($1, 'written')", [id])
          const end = (how: string) => async () => {
            await writer.query(how)
            await writer.end()
          }
          return { commit: end('COMMIT'), rollback: end('ROLLBACK') }
        },
        addColumn: async () => void (await client.query('ALTER TABLE orders ADD COLUMN more text')),
        putInLane: {
          infinity: (id) => putText(id, 'infinity', 'never'),
          neg_infinity: (id) => putText(id, '-infinity', 'always'),
          bc: (id) => putText(id, '0044-03-15 00:00:00+00 BC', 'ides'),
        },
        async close() {
          await source.close()
          await client.end()
        },
      }
    },
  })
})

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}
