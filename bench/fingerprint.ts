import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { startPostgres } from '../scripts/servers/postgres.ts'
import { useDatabase } from '../src/destinations/duckdb/database.ts'
import { openLook as lookAtDuckdb } from '../src/destinations/duckdb/look/look.ts'
import type { ComparisonPlan, WordKind } from '../src/kernel/fingerprint/comparison.ts'
import type { Look } from '../src/sources/look.ts'
import { connector as postgres } from '../src/sources/postgres/index.ts'
import type { OrderDeclaration, Source, TableShape } from '../src/sources/source.ts'
import { connector as sqlite } from '../src/sources/sqlite/index.ts'
import {
  duckdbMillion,
  MILLION,
  MILLION_PLAN,
  MILLION_POSITION_SUM,
  MILLION_ROW_SUM,
  postgresMillion,
  sqliteMillion,
} from '../test/fingerprint/million-rows.ts'
import { report } from './run-program.ts'
import { execute } from './shop.ts'

/**
 * What words cost a row (spec F33): the scans of our looks beside the same sums written by hand, in one session, one thread.
 * A scan that takes more than a quarter longer than by hand, or whose sum is not that of the rules, fails the bench.
 */
const ROWS = Number(process.env.ROWS ?? MILLION)
const REPEATS = Number(process.env.REPEATS ?? 3)
const SLACK = 1.25
const LIMITS = { queryMaxMs: 600_000, lockTimeoutMs: 5_000 }
const ALL = { rows: 'all' } as const
const context = {
  reach: () => {},
  memory: { load: async () => undefined, save: async () => {} },
  note: () => {},
}

interface Scan {
  readonly name: string
  readonly word: WordKind
  readonly digits: number
  readonly digest: ComparisonPlan['digest']
}

const SCANS: readonly Scan[] = [
  { name: 'position word, 16 buckets', word: 'position', digits: 1, digest: 'md5' },
  { name: 'position word, 65,536 buckets', word: 'position', digits: 4, digest: 'md5' },
  { name: 'row word, 16 buckets', word: 'row', digits: 1, digest: 'md5' },
  { name: 'row word, 65,536 buckets', word: 'row', digits: 4, digest: 'md5' },
  { name: 'row word with SHA-256, 16 buckets', word: 'row', digits: 1, digest: 'sha256' },
]

/** Texts of a row in an engine's own SQL, as a person would write them for this one table. */
interface ByHand {
  readonly key: string
  readonly position: string
  readonly row: string
  digest(text: string, digest: ComparisonPlan['digest']): string
  word(digest: string): string
}

const free = (size: string, x: string) =>
  `coalesce(CASE WHEN ${size}(${x}) > 4096 THEN 'w'||${size}(${x})||':'||md5(${x}) ELSE 'v'||${size}(${x})||':'||${x} END,'N')`

const POSTGRES: ByHand = {
  key: 'id::text',
  position: `coalesce(CASE WHEN updated_at > '-infinity' AND updated_at < '294247-01-10 04:00:54.775807+00' THEN (extract(epoch from updated_at)*1000000)::bigint::text ELSE 'z'||updated_at::text END,'N')`,
  get row() {
    const texts = ['email', 'name', 'country::text'].map((x) => free('octet_length', x))
    const created = this.position.replaceAll('updated_at', 'created_at')
    const rest = [
      `coalesce(round(balance,2)::text,'N')`,
      `coalesce(active::int::text,'N')`,
      created,
      this.position,
    ]
    return [this.key, ...texts, ...rest].join(`||';'||`)
  },
  digest: (text, digest) =>
    digest === 'md5' ? `md5(${text})` : `encode(sha256(convert_to(${text},'UTF8')),'hex')`,
  word: (digest) => `('x'||substr(${digest},1,15))::bit(60)::bigint`,
}

const DUCKDB: ByHand = {
  key: 'id::varchar',
  position: `coalesce(CASE WHEN isfinite(updated_at) THEN epoch_us(updated_at)::varchar ELSE 'z'||updated_at::varchar END,'N')`,
  get row() {
    const texts = ['email', 'name', `rtrim(country,' ')`].map((x) => free('strlen', x))
    const created = this.position.replaceAll('updated_at', 'created_at')
    const rest = [
      `coalesce(cast(balance as decimal(38,2))::varchar,'N')`,
      `coalesce(active::int::varchar,'N')`,
      created,
      this.position,
    ]
    return [this.key, ...texts, ...rest].join(`||';'||`)
  },
  digest: (text, digest) => `${digest}(${text})`,
  word: (digest) => `cast('0x'||substr(${digest},1,15) as bigint)`,
}

function total(rows: readonly (readonly unknown[])[]): string {
  return String(rows.reduce((sum, row) => sum + BigInt(String(row[2])), 0n))
}

function byHand(hand: ByHand, { word, digits, digest }: Scan): string {
  const content = word === 'row' ? hand.row : `${hand.key}||';'||${hand.position}`
  const bucket = `substr(${hand.digest(hand.key, digest)},1,${digits})`
  return `SELECT ${bucket} AS bucket, count(*), sum(${hand.word(hand.digest(content, digest))})::text FROM million GROUP BY 1`
}

const folder = await mkdtemp(join(tmpdir(), 'plimsoll-bench-fingerprint-'))
const server = await startPostgres({
  which: 'system',
  settings: { shared_buffers: '1GB', max_wal_size: '8GB' },
})
try {
  report('versions', { node: process.version, postgres: server.version, rows: ROWS, repeats: REPEATS })
  await benchPostgres()
  await benchDuckdb()
  await benchSqlite()
} finally {
  await server.dispose()
  await rm(folder, { recursive: true, force: true })
}

async function benchPostgres(): Promise<void> {
  await execute(server.url, [...postgresMillion('million', ROWS).split(';\n'), 'VACUUM ANALYZE million'])
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query("SET max_parallel_workers_per_gather = 0; SET jit = off; SET timezone = 'UTC'")
  const hand = async (scan: Scan) =>
    total((await client.query({ text: byHand(POSTGRES, scan), rowMode: 'array' })).rows)
  const source = await postgres.open({ url: server.url, context })
  const shape = await source.describe({ schema: 'public', name: 'million' }, { column: 'updated_at' })
  await compare('PostgreSQL', (plan) => lookAt(source, shape, plan), hand)
  await client.end()
  await source.close()
}

async function benchDuckdb(): Promise<void> {
  const database = await useDatabase(join(folder, 'million.duckdb'), 1024 * 1024 * 1024)
  await database.writer.run(duckdbMillion('million', ROWS))
  await database.writer.run('CHECKPOINT')
  await database.useThreads(1)
  const order = {
    column: 'updated_at',
    kind: 'timestamptz',
    tick: 1n,
    grain: 1n,
    stampedBy: 'database',
  } as const
  const columns = MILLION_PLAN.columns.map(({ name }) => ({
    name,
    nativeType: '',
    builtin: true,
    type: { name: name === 'updated_at' ? 'timestamptz' : 'text' } as const,
    nullable: true,
  }))
  const table = {
    stream: 'million',
    target: { schema: 'main', name: 'million' },
    columns,
    key: ['id'],
    order,
    mode: 'upsert',
    nullKeys: 'refuse',
    appendOnly: false,
    asText: [],
  } as const
  const look = async (plan: ComparisonPlan) => (await lookAtDuckdb(database, { table, plan, ...LIMITS })).look
  const hand = async (scan: Scan) => total(await database.reader.rows(byHand(DUCKDB, scan)))
  await compare('DuckDB', look, hand)
  await database.release()
}

/** SQLite has no words of its own: beside us runs a plain reading of the same columns in one go. */
async function benchSqlite(): Promise<void> {
  const file = join(folder, 'million.db')
  sqliteMillion(file, ROWS)
  const source = await sqlite.open({ url: `sqlite://${file}`, context })
  const declared: OrderDeclaration = { column: 'updated_at', encoding: 'iso' }
  const shape = await source.describe({ schema: 'main', name: 'million' }, declared)
  const db = new Database(file, { readonly: true })
  db.defaultSafeIntegers(true)
  const read = async () => {
    let count = 0
    for (const _ of db.prepare('SELECT * FROM million').raw(true).iterate()) count++
    return `${count} rows`
  }
  await compare('SQLite', (plan) => lookAt(source, shape, plan), read)
  db.close()
  await source.close()
}

function lookAt(source: Source, shape: TableShape, plan: ComparisonPlan): Promise<Look> {
  const { order } = shape.positions.find(({ column }) => column === 'updated_at')!
  return source.openLook({
    shape,
    plan,
    order: order!,
    asText: [],
    after: undefined,
    replicaWaitMs: 1_000,
    ...LIMITS,
  })
}

/** Our scan and the other one in turn, the first of each unmeasured; the best of each as µs a row, and their ratio. */
async function compare(
  engine: string,
  open: (plan: ComparisonPlan) => Promise<Look>,
  beside: (scan: Scan) => Promise<string>,
): Promise<void> {
  for (const scan of SCANS) {
    const look = await open({ ...MILLION_PLAN, digest: scan.digest })
    const [ours, theirs]: [number[], number[]] = [[], []]
    let [sum, other] = [0n, '']
    for (let i = 0; i <= REPEATS; i++) {
      const startedMs = performance.now()
      const sums = await look.sums(ALL, scan.word, scan.digits)
      const betweenMs = performance.now()
      other = await beside(scan)
      const endedMs = performance.now()
      sum = [...sums.values()].reduce((all, { wordSum }) => all + wordSum, 0n)
      if (i > 0) ours.push(betweenMs - startedMs)
      if (i > 0) theirs.push(endedMs - betweenMs)
    }
    await look.close()
    const us = (times: readonly number[]): number => (Math.min(...times) * 1_000) / ROWS
    const ratio = us(ours) / us(theirs)
    const isHand = !other.endsWith('rows')
    report(`${engine}: ${scan.name}`, {
      us_a_row: us(ours),
      beside_us_a_row: us(theirs),
      ratio,
      target: isHand ? SLACK : '',
    })
    const known = scan.word === 'row' ? MILLION_ROW_SUM : MILLION_POSITION_SUM
    const isRight =
      (!isHand || String(sum) === other) && (ROWS !== MILLION || scan.digest !== 'md5' || sum === known)
    if (!isRight) console.error(`${engine}: ${scan.name}: the sum is ${sum}, not ${isHand ? other : known}`)
    if (!isRight || (isHand && ratio > SLACK)) process.exitCode = 1
  }
}
