import { existsSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installedMajors, type PostgresServer, startPostgres } from './postgres.ts'

describe.each(installedMajors())('a throw-away $which PostgreSQL $major', ({ which, major }) => {
  let server: PostgresServer

  beforeAll(async () => {
    server = await startPostgres({ which, settings: { work_mem: '5MB' } })
  })
  afterAll(() => server.dispose())

  test('is ready, with the settings for tests and the ones asked for', async () => {
    expect(server.major).toBe(major)
    expect(await ask(server, 'show server_version_num')).toMatch(new RegExp(`^${major}`))
    expect(await ask(server, 'show fsync')).toBe('off')
    expect(await ask(server, 'show max_prepared_transactions')).toBe('20')
    expect(await ask(server, 'show wal_level')).toBe('logical')
    expect(await ask(server, 'show work_mem')).toBe('5MB')
  })

  test('keeps committed rows, its port and its data over a kill and a restart', async () => {
    await ask(server, 'create table kept as select 41 as n')
    await server.kill()
    expect(server.pid()).toBeUndefined()
    await expect(ask(server, 'select 1')).rejects.toThrow()
    await server.restart()
    await ask(server, 'update kept set n = n + 1')
    await server.restart()
    expect(await ask(server, 'select n::text from kept')).toBe('42')
  })

  test('feeds a streaming replica', async () => {
    await ask(server, 'create table streamed as select 1 as n')
    const replica = await server.createReplica()
    try {
      expect(await ask(replica, 'select pg_is_in_recovery()::text')).toBe('true')
      await ask(server, 'update streamed set n = 2')
      await expect.poll(() => ask(replica, 'select n::text from streamed'), { timeout: 10_000 }).toBe('2')
    } finally {
      await replica.dispose()
    }
    expect(existsSync(replica.dataDir)).toBe(false)
  })
})

async function ask(server: PostgresServer, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: server.url })
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query({ text: sql, rowMode: 'array' })
    return rows[0]?.[0]
  } finally {
    await client.end()
  }
}
