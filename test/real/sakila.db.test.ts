import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { expect, onTestFinished, test } from 'vitest'
import { runPipeline, type StreamResult } from '../../src/extract/index.ts'
import { openEngine } from '../support/engine.ts'
import { seededRandom, suiteSeed } from '../support/random.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'
import { columnsOf, difference, duckdbRows, postgresRows } from './compare.ts'
import { sakilaChanges } from './sakila-changes.ts'
import { SAKILA_SCHEMA, SAKILA_TABLES, SAKILA_TRIGGERS, sakilaStreams } from './sakila-schema.ts'

const DATA = fileURLToPath(new URL('../../../shared/data/sakila/postgres-copy.sql', import.meta.url))
const INCREMENTS = 10
const GUARD_MS = 1_100

const hasData = existsSync(DATA)
if (!hasData)
  console.warn('Sakila is skipped: its rows are not at ../shared/data/sakila/ beside the checkout.')

test.skipIf(!hasData)(
  `Sakila: a first load and ${INCREMENTS} increments, every cell equal in DuckDB and PostgreSQL`,
  { timeout: 300_000 },
  async () => {
    const random = seededRandom(printSeed())
    const server = postgresServers()[0]!
    const client = await loadSakila(await freshDatabase(server, 'sakila'))
    const folder = await mkdtemp(join(tmpdir(), 'plimsoll-sakila-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const file = join(folder, 'sakila.duckdb')
    const copyUrl = await freshDatabase(server, 'sakila copy')
    const engines = await Promise.all(
      [`duckdb://${file}`, copyUrl].map((destinationUrl, i) =>
        openEngine({ sourceUrl: client.url, destinationUrl, stateDir: join(folder, `state-${i}`) }),
      ),
    )
    onTestFinished(async () => void (await Promise.all(engines.map(({ close }) => close()))))
    const copy = await connect(copyUrl)

    const runAll = async () => {
      await new Promise((resolve) => setTimeout(resolve, GUARD_MS))
      const all: (readonly StreamResult[])[] = []
      for (const { engine } of engines) {
        const { results } = await runPipeline(engine, sakilaStreams(), 2)
        for (const { stream, error, outcome, proof } of results) {
          expect([stream, error]).toEqual([stream, undefined])
          expect(['advanced', 'empty']).toContain(outcome)
          expect([stream, proof]).toEqual([stream, 'proven'])
        }
        all.push(results)
      }
      return all
    }
    const expectEqual = async (when: string) => {
      let rowCount = 0
      for (const table of SAKILA_TABLES) {
        const columns = await columnsOf(client.pg, table)
        const truth = await postgresRows(client.pg, table, columns)
        const equal = { when, table, rowCount: truth.length, missing: [], unexpected: [] }
        const inDuckdb = difference(await duckdbRows(file, `public.${table}`, columns), truth)
        const inPostgres = difference(await postgresRows(copy, table, columns), truth)
        expect({ when, table, ...inDuckdb }).toEqual(equal)
        expect({ when, table, ...inPostgres }).toEqual(equal)
        rowCount += truth.length
      }
      return rowCount
    }

    const first = await runAll()
    const rowCount = await expectEqual('first load')
    expect(rowCount).toBeGreaterThan(40_000)
    expect(first.map((results) => sum(results, 'inserted'))).toEqual([rowCount, rowCount])
    for (let round = 1; round <= INCREMENTS; round++) {
      let changed = 0
      for (const sql of sakilaChanges(random, round)) changed += (await client.pg.query(sql)).rowCount ?? 0
      for (const results of await runAll()) {
        const landed = sum(results, 'inserted') + sum(results, 'updated')
        // A row changed twice in a round lands once.
        expect(landed).toBeGreaterThan(0.9 * changed)
        expect(landed).toBeLessThanOrEqual(changed)
        expect(sum(results, 'late') + sum(results, 'regressed')).toBe(0)
      }
      await expectEqual(`increment ${round}`)
    }
  },
)

function printSeed(): number {
  const seed = suiteSeed()
  console.info(`sakila: SEED=${seed}`)
  return seed
}

const sum = (
  results: readonly StreamResult[],
  count: 'inserted' | 'updated' | 'late' | 'regressed',
): number => results.reduce((total, { counts }) => total + counts[count], 0)

/** Everything read as the server's own text, in UTC. */
async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, types: { getTypeParser: () => String } })
  client.on('error', () => {})
  await client.connect()
  await client.query(`SET timezone = 'UTC'`)
  onTestFinished(() => client.end())
  return client
}

/** Makes the tables and copies the rows in, as COPY text with column names. */
async function loadSakila(url: string): Promise<{ pg: pg.Client; url: string }> {
  const client = await connect(url)
  await client.query(SAKILA_SCHEMA)
  const blocks = readFileSync(DATA, 'utf8').matchAll(
    /^(COPY public\.\w+ \(.*\) FROM stdin);\n([\s\S]*?)^\\\.$/gm,
  )
  for (const [, sql, rows] of blocks) {
    await pipeline(Readable.from([rows!]), client.query(copyFrom(sql!)))
  }
  await client.query(SAKILA_TRIGGERS)
  return { pg: client, url }
}
