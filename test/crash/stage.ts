import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import pg from 'pg'
import { chainFault } from '../../src/catalog/record-chain.ts'
import { openCatalog } from '../../src/catalog/sqlite/index.ts'
import { readRecord } from '../../src/extract/record-view.ts'
import { type Ended, type ProgramOptions, runProgram, startProgram } from './program.ts'

export interface Combination {
  readonly destination: 'duckdb' | 'postgres'
  readonly mode: 'upsert' | 'history'
}

/** A source table, a destination, a catalog, and the program between them. */
export interface Stage {
  readonly folder: string
  readonly sourceUrl: string
  readonly destinationUrl: string
  readonly combination: Combination
  sql(text: string): Promise<pg.QueryResult>
  /** The rows of a query at the destination, as texts. */
  landed(sql: string): Promise<string[][]>
  copy(options?: Partial<ProgramOptions>, more?: readonly string[]): Promise<Ended>
  /** The same, for who wants to do something to the process meanwhile. */
  start(options?: Partial<ProgramOptions>, more?: readonly string[]): ReturnType<typeof startProgram>
  plimsoll(args: readonly string[], options?: Partial<ProgramOptions>): Promise<Ended>
  dispose(): Promise<void>
}

export const ROWS = 600
export const SLICE_ROWS = 100
const CLAIM = { duckdb: 'main.plimsoll_claim', postgres: 'plimsoll.plimsoll_claim' } as const

const SCHEMA = `
create table public.things (id integer primary key, body text, amount numeric(12,2), updated_at timestamptz);
create index on public.things (updated_at);
create function touch() returns trigger language plpgsql as $$ begin new.updated_at := clock_timestamp(); return new; end $$;
insert into public.things select g, 'body ' || g, g, now() - interval '1 day' + g * interval '1 second' from generate_series(1, ${ROWS}) g;
insert into public.things select g, 'no position', g, null from generate_series(9001, 9005) g;
create trigger touch before update on public.things for each row when (new.updated_at is not null) execute function touch();
analyze public.things;
`

export async function openStage(
  sourceUrl: string,
  destinationUrl: string,
  combination: Combination,
): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-crash-'))
  await mkdir(join(folder, 'copy'))
  const url =
    combination.destination === 'duckdb'
      ? `duckdb://${join(folder, 'copy', 'things.duckdb')}`
      : destinationUrl
  const source = new pg.Client({ connectionString: sourceUrl })
  // A server that a test ends takes this session along.
  source.on('error', () => {})
  await source.connect()
  await source.query(SCHEMA)
  const flags = [
    '--table',
    'public.things',
    '--position',
    'updated_at',
    '--stamped-by',
    'database',
    '--mode',
    combination.mode,
  ]
  const settings = [
    '--set',
    `sliceRows=${SLICE_ROWS}`,
    '--set',
    'fullScanMaxRows=50',
    '--set',
    'guardMs=20',
    '--overlap',
    '0s',
    '--set',
    'retries=1',
  ]
  const copying = ['copy', sourceUrl, url, ...flags, ...settings]
  const plimsoll: Stage['plimsoll'] = (args, options = {}) => runProgram(args, { cwd: folder, ...options })
  return {
    folder,
    sourceUrl,
    destinationUrl: url,
    combination,
    sql: (text) => source.query(text),
    landed: (sql) => (combination.destination === 'duckdb' ? fromDuckdb(url, sql) : fromPostgres(url, sql)),
    plimsoll,
    copy: (options = {}, more = []) => plimsoll([...copying, ...more], options),
    start: (options = {}, more = []) => startProgram([...copying, ...more], { cwd: folder, ...options }),
    async dispose() {
      await source.end().catch(() => {})
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Whatever a run must leave true after a crash and one more run (spec E74). Returns complaints; none is right. */
export async function complaints(stage: Stage): Promise<string[]> {
  const found: string[] = []
  const truth = (
    await stage.sql(
      `select id::text, body, amount::text, (extract(epoch from updated_at) * 1000000)::bigint::text from public.things order by id`,
    )
  ).rows
  const columns = `cast(id as varchar), body, cast(amount as varchar), ${epochUs(stage)}`
  const newest = `select * from (select *, row_number() over (partition by id order by _plimsoll_seq desc) as n from public.things) t where n = 1`
  const landed = await stage.landed(`select ${columns} from (${newest}) x order by id`)
  const expected = truth.map((row) =>
    Object.values(row as Record<string, string | null>).map((value) => value ?? 'NULL'),
  )
  if (JSON.stringify(inOrder(landed)) !== JSON.stringify(inOrder(expected)))
    found.push(describeDifference(expected, landed))
  found.push(
    ...(await doubled(stage, columns)),
    ...(await chainComplaints(stage)),
    ...(await leftovers(stage)),
  )
  return found
}

/** By key: two databases sort texts in two ways. */
const inOrder = (rows: readonly string[][]) => [...rows].sort(([a], [b]) => (a! < b! ? -1 : 1))

function epochUs({ combination }: Stage): string {
  return combination.destination === 'duckdb'
    ? 'cast(epoch_us(updated_at) as varchar)'
    : '(extract(epoch from updated_at) * 1000000)::bigint::text'
}

function describeDifference(expected: readonly string[][], landed: readonly string[][]): string {
  const there = new Map(landed.map((row) => [row[0], row.join('|')]))
  const wrong = expected.filter((row) => there.get(row[0]!) !== row.join('|'))
  return `${wrong.length} of ${expected.length} rows differ, ${landed.length} landed; first ${JSON.stringify(wrong[0])} is ${there.get(wrong[0]?.[0] ?? '')}`
}

/** Upsert: one row a key. History: no two versions of a key, one after the other, with the same content. */
async function doubled(stage: Stage, columns: string): Promise<string[]> {
  const sql =
    stage.combination.mode === 'upsert'
      ? `select cast(id as varchar), cast(count(*) as varchar) from public.things group by id having count(*) > 1`
      : `select cast(id as varchar), content from (select id, content, lag(content) over (partition by id order by seq) as before
         from (select id, _plimsoll_seq as seq, concat_ws('|', ${columns}) as content from public.things) v) w where content = before`
  const rows = await stage.landed(sql)
  return rows.length > 0 ? [`doubled: ${JSON.stringify(rows.slice(0, 3))}`] : []
}

/** The claim beside the data is the last record's, records are an unbroken chain, no run is open, no lease is held. */
async function chainComplaints(stage: Stage): Promise<string[]> {
  const catalog = await openCatalog(join(stage.folder, '.plimsoll'))
  try {
    const found: string[] = []
    const [stream] = await catalog.streams()
    const records = [...(await catalog.records(stream, 100_000))].sort((a, b) => a.sequence - b.sequence)
    const fault = chainFault(records)
    if (fault) found.push(`record ${fault.record.sequence} ${fault.what}`)
    const last = readRecord(records.at(-1)!)
    const [claim] = await stage.landed(`select watermark from ${CLAIM[stage.combination.destination]}`)
    if (claim?.[0] !== last.watermark_after?.value)
      found.push(`claim ${claim?.[0]}, last record ${last.watermark_after?.value}`)
    if ((await catalog.openRuns(stream!)).length > 0) found.push('a run is still open')
    if ((await catalog.leases()).length > 0) found.push('a lease is still held')
    return found
  } finally {
    await catalog.close()
  }
}

/** No staging of a dead run stays behind: files beside the database, tables at the destination. */
async function leftovers(stage: Stage): Promise<string[]> {
  const files = (await readdir(join(stage.folder, 'copy'))).filter(
    (name) => !/^things\.duckdb(\.wal)?$/.test(name),
  )
  const tables = await stage.landed(`select table_schema || '.' || table_name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema') and table_name not like 'plimsoll%' and table_name <> 'things'`)
  return [...files, ...tables.map((row) => row[0]!)].map((name) => `left behind: ${name}`)
}

async function fromDuckdb(url: string, sql: string): Promise<string[][]> {
  const instance = await DuckDBInstance.create(new URL(url).pathname)
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(sql))
      .getRows()
      .map((row) => row.map((value) => (value === null ? 'NULL' : String(value))))
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

async function fromPostgres(url: string, sql: string): Promise<string[][]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query({ text: sql, rowMode: 'array' })
    return (rows as (string | null)[][]).map((row) => row.map((value) => value ?? 'NULL'))
  } finally {
    await client.end()
  }
}

/** Changes a few rows, adds some, and moves one out of its lane: what happens between two runs. */
export async function change(stage: Stage, round: number): Promise<void> {
  const base = 10_000 + round * 200
  await stage.sql(
    `update public.things set body = 'changed ${round}' where id % 7 = ${round % 7} and id <= ${ROWS}`,
  )
  await stage.sql(
    `insert into public.things select g, 'new ${round}', g, clock_timestamp() from generate_series(${base}, ${base + 120}) g`,
  )
  await stage.sql(`update public.things set body = 'lane ${round}' where id between 9001 and 9005`)
}

/** Past the guard, so that what was just written lies below the next fence. */
export const afterGuard = () => new Promise((resolve) => setTimeout(resolve, 40))
