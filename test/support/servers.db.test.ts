import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { freshDatabase, freshSchema, postgresServers } from './servers.ts'

test('at least one server runs', () => {
  expect(postgresServers()).not.toHaveLength(0)
})

describe.each(postgresServers())('PostgreSQL $major', (server) => {
  test('a fresh database is empty and named from the test', async () => {
    const url = await freshDatabase(server, 'A test: with "quotes"')
    expect(url).toMatch(/\/t_a_test_with_quotes__[0-9a-f]{8}$/)
    expect(await first(url, 'select current_database()')).toMatch(/^t_a_test_with_quotes_/)
  })

  test('a fresh schema is the search path of its URL', async () => {
    const { url, schema } = await freshSchema(server, 'a test')
    await first(url, 'create table here (n int)')
    expect(await first(url, "select 'here'::regclass::oid = $1::regclass::oid", [`${schema}.here`])).toBe(
      true,
    )
  })
})

async function first(url: string, text: string, values: string[] = []): Promise<unknown> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query({ text, values, rowMode: 'array' })
    return rows[0]?.[0]
  } finally {
    await client.end()
  }
}
