import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { findPostgres } from '../../scripts/servers/postgres-binaries.ts'
import { runPipeline, type StreamResult, type StreamSettings } from '../../src/extract/index.ts'
import { openEngine, streamSettings } from '../support/engine.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'
import { columnsOf, difference, duckdbRows, postgresRows } from './compare.ts'

const SCALE = 2
const CLIENTS = 4
const SECONDS = 6
const GUARD_MS = 1_100

const system = findPostgres('system')
const program = system && join(system.binDir, 'pgbench')
const server = postgresServers().find(({ which }) => which === 'system')
const isThere = server !== undefined && program !== undefined && existsSync(program)
if (!isThere) console.warn('pgbench is skipped: no installed PostgreSQL on this machine brings the program.')

const STAMPED = ['pgbench_accounts', 'pgbench_tellers', 'pgbench_branches']

/** pgbench's own tables: three get a stamp, kept by a trigger; the history, which has no key, a number. */
const PREPARE = `
  CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN NEW.updated_at := now(); RETURN NEW; END $$;
  ${STAMPED.map(
    (table) => `ALTER TABLE ${table} ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
    CREATE INDEX ON ${table} (updated_at);
    CREATE TRIGGER touch BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION touch();`,
  ).join('\n')}
  ALTER TABLE pgbench_history ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY;`

const STREAMS: readonly StreamSettings[] = [
  ...STAMPED.map((table) =>
    streamSettings(`public.${table}`, {
      position: { column: 'updated_at', grain: 1n, stampedBy: 'database' },
    }),
  ),
  streamSettings('public.pgbench_history', {
    position: { column: 'id', flavour: 'sequence', stampedBy: 'database' },
    appendOnly: true,
    fence: { appendOnly: true },
  }),
]

/** What pgbench keeps equal: each transaction adds its delta to all four. */
const SUMS = `(SELECT (SELECT sum(abalance) FROM public.pgbench_accounts) AS accounts,
  (SELECT sum(tbalance) FROM public.pgbench_tellers) AS tellers, (SELECT sum(bbalance) FROM public.pgbench_branches) AS branches,
  (SELECT sum(delta) FROM public.pgbench_history) AS history, (SELECT count(*) FROM public.pgbench_history) AS transactions) s`
const SUM_COLUMNS = ['accounts', 'tellers', 'branches', 'history', 'transactions'].map((name) => ({
  name,
  type: 'bigint',
}))

test.skipIf(!isThere).each(['duckdb', 'postgres'] as const)(
  'pgbench writes while the engine extracts into %s without pause: every cell and every sum is equal',
  { timeout: 180_000 },
  async (kind) => {
    const sourceUrl = await freshDatabase(server!, 'pgbench')
    await pgbench('-i', '-q', '-s', `${SCALE}`, sourceUrl)
    const source = await connect(sourceUrl)
    await source.query(PREPARE)
    const folder = await mkdtemp(join(tmpdir(), 'plimsoll-pgbench-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const file = join(folder, 'copy.duckdb')
    const copyUrl = await freshDatabase(server!, 'pgbench copy')
    const { engine, close } = await openEngine({
      sourceUrl,
      destinationUrl: kind === 'duckdb' ? `duckdb://${file}` : copyUrl,
      stateDir: join(folder, 'state'),
    })
    onTestFinished(close)
    const copy = await connect(copyUrl)

    const all: StreamResult[] = []
    const runOnce = async () => {
      const { results } = await runPipeline(engine, STREAMS, 2)
      for (const result of results) {
        expect([result.stream, result.error]).toEqual([result.stream, undefined])
        expect([result.stream, result.proof]).toEqual([result.stream, 'proven'])
        expect(result.counts.late + result.counts.regressed).toBe(0)
      }
      all.push(...results)
      return results
    }
    await runOnce()
    let isRunning = true
    const bench = pgbench('-n', '-c', `${CLIENTS}`, '-T', `${SECONDS}`, sourceUrl).finally(() => {
      isRunning = false
    })
    bench.catch(() => {})
    let movedCount = 0
    while (isRunning) {
      const results = await runOnce()
      if (results.some(({ counts }) => counts.inserted + counts.updated > 0)) movedCount++
    }
    const transactionCount = transactions(await bench)
    await new Promise((resolve) => setTimeout(resolve, GUARD_MS))
    // The fence of a sequence needs a second sample to see that the writers are gone.
    await runOnce()
    await runOnce()

    expect(transactionCount).toBeGreaterThan(100)
    expect(movedCount).toBeGreaterThan(1)
    for (const { table } of STREAMS) {
      const columns = await columnsOf(source, table.name)
      const truth = await postgresRows(source, table.name, columns)
      const rows =
        kind === 'duckdb'
          ? await duckdbRows(file, `public.${table.name}`, columns)
          : await postgresRows(copy, table.name, columns)
      const found = { table: table.name, ...difference(rows, truth) }
      expect(found).toEqual({ table: table.name, rowCount: truth.length, missing: [], unexpected: [] })
    }
    const truth = await postgresRows(source, SUMS, SUM_COLUMNS)
    const sums = await (kind === 'duckdb'
      ? duckdbRows(file, SUMS, SUM_COLUMNS)
      : postgresRows(copy, SUMS, SUM_COLUMNS))
    expect(sums).toEqual(truth)
    const [accounts, tellers, branches, history, count] = JSON.parse(sums[0]!) as string[]
    expect([tellers, branches, history]).toEqual([accounts, accounts, accounts])
    expect(count).toBe(`${transactionCount}`)
    const pipelines = all.length / STREAMS.length
    console.info(
      `pgbench into ${kind}: ${transactionCount} transactions, ${pipelines} pipelines, ${movedCount} moved rows`,
    )
  },
)

/** Runs the program; what it said. */
async function pgbench(...args: readonly string[]): Promise<string> {
  const child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill())
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`pgbench ${args.join(' ')}: ${said}`)
  return said
}

const transactions = (said: string): number =>
  Number(/transactions actually processed: (\d+)/.exec(said)?.[1] ?? 0)

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, types: { getTypeParser: () => String } })
  client.on('error', () => {})
  await client.connect()
  await client.query(`SET timezone = 'UTC'`)
  onTestFinished(() => client.end())
  return client
}
