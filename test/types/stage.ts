import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished } from 'vitest'
import type { ProvidedPostgres } from '../../scripts/servers/global-setup.ts'
import type { StreamResult, StreamSettings } from '../../src/extract/index.ts'
import { freshDatabase } from '../support/servers.ts'

export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-types-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export type Ask = (sql: string) => Promise<(string | null)[][]>

/** A fresh database and a session in it whose rows are the server's own texts. */
export async function freshSession(
  server: ProvidedPostgres,
  name: string,
): Promise<{ url: string; ask: Ask }> {
  const url = await freshDatabase(server, name)
  const client = new pg.Client({ connectionString: url, types: { getTypeParser: () => String } })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  await client.query(`SET timezone = 'UTC'; SET intervalstyle = 'postgres'; SET extra_float_digits = 3`)
  const ask: Ask = async (sql) => {
    const answer = await client.query({ text: sql, rowMode: 'array' })
    return (Array.isArray(answer) ? answer.at(-1) : answer).rows
  }
  return { url, ask }
}

/**
 * What the output function of a column's type prints; a cast to text would drop the blanks of char(n). (A composite of NULLs
 * is not NULL, though it says IS NULL.)
 */
export const printed = (column: string): string =>
  `CASE WHEN ${column} IS DISTINCT FROM NULL THEN concat(${column}) END`

/** The one result of a stream that must not have failed. */
export function landed(result: StreamResult | undefined): StreamResult {
  expect(result?.error).toBeUndefined()
  expect(result?.outcome).toBe('advanced')
  return result!
}

/** The same stream with a column taken as the source's text: what the hint of a refusal asks for. */
export const withText = (settings: StreamSettings, columns: readonly string[]): StreamSettings => ({
  ...settings,
  asText: columns,
})
