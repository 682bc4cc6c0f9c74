import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, inject } from 'vitest'
import type { ProvidedPostgres } from '../../scripts/servers/global-setup.ts'
import { type PostgresServer, startPostgres } from '../../scripts/servers/postgres.ts'

const NAME_LENGTH = 40

/** The running PostgreSQL servers, for `describe.each(postgresServers())('PostgreSQL $major', (server) => …)`. */
export function postgresServers(): ProvidedPostgres[] {
  return inject('postgres')
}

/** Creates a database named after a test and returns its URL. It is dropped after the test file. */
export async function freshDatabase(server: Pick<ProvidedPostgres, 'url'>, name: string): Promise<string> {
  const database = uniqueName(name)
  await execute(server.url, `create database ${database}`)
  undo.push(() => execute(server.url, `drop database if exists ${database} with (force)`))
  const url = new URL(server.url)
  url.pathname = `/${database}`
  return url.href
}

/** Creates a schema in the server's own database; its URL has it as search path. It is dropped after the test file. */
export async function freshSchema(
  server: ProvidedPostgres,
  name: string,
): Promise<{ url: string; schema: string }> {
  const schema = uniqueName(name)
  await execute(server.url, `create schema ${schema}`)
  undo.push(() => execute(server.url, `drop schema if exists ${schema} cascade`))
  const url = new URL(server.url)
  url.searchParams.set('options', `-csearch_path=${schema}`)
  return { url: url.href, schema }
}

/** A server of this test file's own, with settings that the shared ones do not have; it ends after the file. */
export async function ownServer(settings: Record<string, string | number>): Promise<PostgresServer> {
  const { which } = postgresServers()[0]!
  const server = await startPostgres({ which, settings })
  undo.push(() => server.dispose())
  return server
}

const undo: (() => Promise<void>)[] = []

afterAll(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

function uniqueName(name: string): string {
  const words = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
  return `t_${words.slice(0, NAME_LENGTH)}_${randomBytes(4).toString('hex')}`
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
