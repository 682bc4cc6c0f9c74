import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { runPipeline } from '../../src/extract/index.ts'
import { openEngine, streamSettings } from '../support/engine.ts'
import { postgresServers } from '../support/servers.ts'
import { readDuckdb, tell } from './read-duckdb.ts'
import { SQLITE_VALUES, type SqliteCase, sqliteText } from './sqlite-values.ts'
import { type Ask, freshSession, landed, printed, tempFolder, withText } from './stage.ts'

const position = { column: 'at', stampedBy: 'database', encoding: 'iso' } as const
const KEY = 4711
const label = ({ type, sql }: SqliteCase) => `${type} ${sql}`

/** A table a case: SQLite lets a column hold every class, so a table's first values decide what it may be. */
function createTables(file: string): Map<SqliteCase, string> {
  const db = new Database(file)
  const stamp = `at TEXT NOT NULL DEFAULT '2026-01-01 00:00:00'`
  const names = new Map<SqliteCase, string>()
  for (const [i, each] of SQLITE_VALUES.entries()) {
    names.set(each, `t${i}`)
    db.exec(`CREATE TABLE t${i} (id INTEGER PRIMARY KEY, v ${each.type}, ${stamp}); CREATE INDEX i${i} ON t${i} (at);
      INSERT INTO t${i} (id, v) VALUES (1, NULL), (${KEY}, ${each.sql})`)
  }
  db.close()
  return names
}

/** The value as the driver hands it out, in the words of the table of cases. */
function stored(file: string, table: string): string {
  const db = new Database(file, { readonly: true })
  const value = db.prepare(`SELECT v FROM ${table} WHERE id = ${KEY}`).safeIntegers(true).pluck().get()
  db.close()
  return sqliteText(value as bigint | number | string | Buffer)
}

describe.each(
  [...postgresServers(), 'duckdb' as const].map((to) => ({
    to,
    name: to === 'duckdb' ? to : `PostgreSQL ${to.major}`,
  })),
)('values of SQLite in $name', ({ to, name }) => {
  test('E75: each is held exactly, or is refused by name and kept as text', async () => {
    const folder = await tempFolder()
    const file = join(folder, 'source.db')
    const tables = createTables(file)
    const copy = join(folder, 'copy.duckdb')
    const server = to === 'duckdb' ? undefined : await freshSession(to, `sqlite types ${name}`)
    const { engine, close } = await openEngine({
      sourceUrl: `sqlite://${file}`,
      destinationUrl: server?.url ?? `duckdb://${copy}`,
      stateDir: join(folder, 'state'),
    })
    const streams = [...tables.values()].map((table) => {
      const target = { schema: server ? 'public' : 'main', name: table }
      return streamSettings(`main.${table}`, { position, target })
    })
    const { results } = await runPipeline(engine, streams, 2)
    for (const [i, each] of SQLITE_VALUES.entries()) {
      const { outcome, error } = results[i]!
      const code = each.refused ? 'VALUE_NOT_REPRESENTABLE' : undefined
      expect([label(each), outcome, error?.code]).toEqual([
        label(each),
        each.refused ? 'failed' : 'advanced',
        code,
      ])
      if (!each.refused) continue
      expect(error!.message).toContain(`t${i}.v`)
      expect(error!.message).toContain(`id ${KEY}`)
      expect(error!.hint).toContain('columns: { v: text }')
    }
    const isFixable = (each: SqliteCase) => each.refused && each.text !== undefined
    const fixable = streams
      .filter((_, i) => isFixable(SQLITE_VALUES[i]!))
      .map((each) => withText(each, ['v']))
    for (const result of (await runPipeline(engine, fixable, 2)).results) landed(result)
    await close()

    for (const [each, table] of tables) {
      if (each.refused && each.text === undefined) continue
      const found = server ? await readPostgres(server.ask, table) : await readCopy(copy, table)
      const type = server ? each.postgres : each.duckdb
      const textType = server ? 'text' : 'VARCHAR'
      const wanted = each.refused ? `${textType} ${each.text}` : `${type} ${each.text ?? stored(file, table)}`
      expect([label(each), found]).toEqual([label(each), [null, wanted]])
    }
  })
})

async function readCopy(file: string, table: string) {
  const rows = await readDuckdb(file, `main.${table}`)
  const { type, value } = rows.get(KEY)!.v!
  return [rows.get(1)!.v!.value, `${type} ${tell(value)}`]
}

async function readPostgres(ask: Ask, table: string) {
  const rows = await ask(`SELECT ${printed('v')}, format_type(atttypid, atttypmod) FROM ${table}, pg_attribute
    WHERE attrelid = '${table}'::regclass AND attname = 'v' ORDER BY id`)
  const [text, type] = rows[1]!
  // One notation of floats, whoever prints them.
  return [rows[0]![0], `${type} ${type === 'double precision' ? Number(text) : text}`]
}
