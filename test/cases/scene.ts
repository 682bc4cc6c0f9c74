import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { useDatabase } from '../../src/destinations/duckdb/database.ts'
import {
  DEFAULT_LIMITS,
  type Limits,
  runStream,
  type StreamResult,
  type StreamSettings,
} from '../../src/extract/index.ts'
import { readRecord } from '../../src/extract/record-view.ts'
import type { OverlapPolicy } from '../../src/kernel/overlap.ts'
import { comparePositions } from '../../src/kernel/position.ts'
import { type EngineAt, type OpenEngine, openEngine, streamSettings } from '../support/engine.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'

/** One of the two ways in which each case must pass. */
export interface Way {
  readonly overlap: OverlapPolicy | undefined
  readonly destination: 'duckdb' | 'postgres'
}

const WAYS: readonly (Way & { readonly name: string })[] = [
  { name: 'overlap 0', overlap: { kind: 'fixed', amount: 0n }, destination: 'duckdb' },
  { name: 'default overlap', overlap: undefined, destination: 'postgres' },
]

/** A case that must pass with overlap 0 and with the default. */
export function caseTest(name: string, work: (way: Way) => Promise<void>): void {
  for (const way of WAYS) test(`${name} (${way.name})`, { timeout: 60_000 }, () => work(way))
}

type Parts = Parameters<typeof streamSettings>[1] & { readonly few?: Partial<Limits> }

export interface SceneOptions {
  /** Replaces the fresh database; tables are made by `setup` there. */
  readonly sourceUrl?: string
  readonly replicaUrl?: string
  readonly destinationUrl?: string
  readonly settings?: Parts
  /** `schema.name` at the source; `public.t` when absent. */
  readonly table?: string
  /** What must be equal at the end: an expression of the source, and one of the destination where that differs. */
  readonly columns?: readonly (string | readonly [string, string])[]
}

/** A source with a table, a destination, a catalog, and the engine between them. */
export class Scene {
  readonly way: Way
  readonly at: EngineAt & { reach?: EngineAt['reach'] }
  readonly settings: StreamSettings
  readonly #columns: NonNullable<SceneOptions['columns']>
  #open: OpenEngine

  private constructor(
    way: Way,
    at: EngineAt,
    settings: StreamSettings,
    columns: Scene['columns'],
    open: OpenEngine,
  ) {
    this.way = way
    this.at = at
    this.settings = settings
    this.#columns = columns
    this.#open = open
  }

  /** `setup` makes the table `t (id, v, at)` in a fresh PostgreSQL database, or what `options` name. */
  static async open(way: Way, setup: string, options: SceneOptions = {}): Promise<Scene> {
    const folder = await mkdtemp(join(tmpdir(), 'plimsoll-case-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const sourceUrl = options.sourceUrl ?? (await emptied('source'))
    if (sourceUrl.startsWith('postgres')) await ask(sourceUrl, setup)
    const destinationUrl =
      options.destinationUrl ??
      (way.destination === 'duckdb' ? `duckdb://${join(folder, 'copy.duckdb')}` : await emptied('copy'))
    const at = {
      sourceUrl,
      destinationUrl,
      stateDir: join(folder, 'state'),
      ...(options.replicaUrl ? { replicaUrl: options.replicaUrl } : {}),
    }
    const scene = new Scene(
      way,
      at,
      caseSettings(options.table ?? 'public.t', way, options.settings),
      options.columns ?? ['id', 'v'],
      await openEngine(at),
    )
    onTestFinished(() => scene.close())
    return scene
  }

  get columns() {
    return this.#columns
  }

  get engine() {
    return this.#open.engine
  }

  get destination() {
    return this.#open.destination
  }

  run(parts: Partial<StreamSettings> = {}): Promise<StreamResult> {
    return runStream(this.engine, { ...this.settings, ...parts })
  }

  /** A run that must not fail. */
  async runWell(parts: Partial<StreamSettings> = {}): Promise<StreamResult> {
    const result = await this.run(parts)
    expect(result.error).toBeUndefined()
    return result
  }

  /** Runs until the watermark has passed what was written before now, and everything is at the destination. */
  async runOut(): Promise<StreamResult[]> {
    const results: StreamResult[] = []
    const until = performance.now() + 20_000
    for (;;) {
      results.push(await this.runWell())
      const same = JSON.stringify(await this.landed()) === JSON.stringify(await this.truth())
      if (same || performance.now() > until) break
      await pause(60)
    }
    await this.expectEqual()
    return results
  }

  /** The destination equals the source, no key twice. */
  async expectEqual(): Promise<void> {
    expect(await this.landed()).toEqual(await this.truth())
  }

  /** Rows at the source, by key, as texts. */
  async truth(): Promise<string[][]> {
    const { schema, name } = this.settings.table
    return sorted(await ask(this.at.sourceUrl, `select ${this.#texts(0)} from ${schema}.${name}`))
  }

  /** Rows at the destination, by key, as texts; none when there is no table yet. */
  async landed(): Promise<string[][]> {
    const { schema, name } = this.settings.target
    const sql = `select ${this.#texts(1)} from ${schema}.${name}`
    const rows = await this.there(sql).catch((error: Error) => {
      if (/does not exist/.test(error.message)) return []
      throw error
    })
    return sorted(rows)
  }

  /** A query or statement at the destination. */
  async there(sql: string): Promise<string[][]> {
    const url = this.at.destinationUrl
    return url.startsWith('duckdb') ? askDuckdb(new URL(url).pathname, sql) : ask(url, sql)
  }

  /** A query or statement at the source. */
  sql(sql: string): Promise<string[][]> {
    return ask(this.at.sourceUrl, sql)
  }

  /** A session of somebody else at the source. */
  async session(url = this.at.sourceUrl): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url, application_name: 'writer' })
    client.on('error', () => {})
    await client.connect()
    onTestFinished(() => client.end().catch(() => {}))
    return client
  }

  /** As a new process: nothing is remembered but what lies in catalog and destination. */
  async restart(change: Partial<EngineAt> = {}): Promise<void> {
    await this.close()
    Object.assign(this.at, change)
    this.#open = await openEngine(this.at)
  }

  /** Does something each time an instant is reached; a new process for it. */
  reaching(reach: NonNullable<EngineAt['reach']>): Promise<void> {
    return this.restart({ reach })
  }

  async close(): Promise<void> {
    await this.#open.close()
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  async records(): Promise<any[]> {
    const records = await this.engine.catalog.records(this.settings.catalogKey, 1_000)
    return [...records].sort((a, b) => a.sequence - b.sequence).map(readRecord)
  }

  async claim() {
    return this.destination.claim(this.settings.stream)
  }

  #texts(side: 0 | 1): string {
    const expressions = this.#columns.map((column) => (typeof column === 'string' ? column : column[side]))
    return expressions.map((expression) => `cast(${expression} as varchar)`).join(', ')
  }
}

const databases = new Map<string, Promise<string>>()

/** One database a file for each end, emptied for each scene: making databases is slow. */
async function emptied(end: 'source' | 'copy'): Promise<string> {
  const made = databases.get(end) ?? freshDatabase(postgresServers()[0]!, `case ${end}`)
  databases.set(end, made)
  const url = await made
  await ask(url, 'drop schema if exists public, plimsoll cascade; create schema public')
  return url
}

/** Short guards and waits; the grain declared, stamps made by the database. */
export function caseSettings(table: string, way: Way, parts: Parts = {}): StreamSettings {
  const { few, fence, ...rest } = parts
  return streamSettings(table, {
    position: { column: 'at', stampedBy: 'database', grain: 1n },
    overlap: way.overlap,
    limits: { ...DEFAULT_LIMITS, retries: 0, retryDelayMs: 20, replicaWaitMs: 400, ...few },
    target: { schema: 'main', name: table.split('.')[1]! },
    stream: table,
    ...(way.destination === 'postgres' ? { target: { schema: 'public', name: table.split('.')[1]! } } : {}),
    ...rest,
    fence: {
      guardMs: 20,
      fenceSampleMs: 40,
      fenceFreshMs: 1_000,
      fenceWaitMs: 200,
      busyWaitMs: 300,
      settleMs: 200,
      holdMaxMs: 'never',
      ...fence,
    },
  })
}

/** Both sides of a position column, as µs. */
export const microseconds = (column: string, way: Way): readonly [string, string] => {
  const postgres = `(extract(epoch from "${column}") * 1000000)::bigint`
  return [postgres, way.destination === 'duckdb' ? `epoch_us("${column}")` : postgres]
}

/** True when the first watermark is not above an instant of the source, given as µs text. */
export const atMost = (result: StreamResult, us: string): boolean => {
  const { watermarkAfter: mark } = result
  return !mark || comparePositions(mark, { ...mark, value: BigInt(us) } as typeof mark) <= 0
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Rows of the last statement, as texts; NULL is `null`. */
export async function ask(url: string, sql: string): Promise<string[][]> {
  if (!url.startsWith('postgres')) throw new Error(`nobody to ask at ${url}`)
  const client = new pg.Client({ connectionString: url, types: { getTypeParser: () => String } })
  client.on('error', () => {})
  await client.connect()
  try {
    const answer = await client.query({ text: sql, rowMode: 'array' })
    const { rows } = (Array.isArray(answer) ? answer.at(-1) : answer) as { rows: (string | null)[][] }
    return rows.map((row) => row.map((value) => (value === null ? 'null' : value)))
  } finally {
    await client.end()
  }
}

/** The clock of a database, as µs text. */
export async function clockUs(url: string): Promise<string> {
  const [row] = await ask(url, 'select (extract(epoch from clock_timestamp()) * 1000000)::bigint')
  return row![0]!
}

async function askDuckdb(file: string, sql: string): Promise<string[][]> {
  const database = await useDatabase(file, 64 * 1024 * 1024)
  try {
    const rows = await database.reader.rows(sql)
    return rows.map((row) => row.map((value) => (value === null ? 'null' : String(value))))
  } finally {
    await database.release()
  }
}

const sorted = (rows: string[][]): string[][] =>
  rows.sort((a, b) => (a.join('\0') < b.join('\0') ? -1 : a.join('\0') > b.join('\0') ? 1 : 0))

/** The plainest table of a case. */
export const STAMPED = `create table t (id bigint primary key, v text, at timestamptz default now()); create index on t (at);`
