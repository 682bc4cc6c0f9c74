import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../scripts/servers/postgres.ts'
import { median, type ProgramRun, plimsoll, ROOT, report, runProgram } from './run-program.ts'
import { execute, makeOrders } from './shop.ts'

const ROWS = Number(process.env.ROWS ?? 5_000_000)
const REPEATS = Number(process.env.REPEATS ?? 3)
/** The same window over a table fifty times as long: the cost of an audit follows the window (spec A14). */
const TIMES_LONGER = 50
const WINDOW_SHARE = 0.5
const DAYS = 30
const DIFFERENCES = Number(process.env.DIFFERENCES ?? 1_200_000)

const server = await startPostgres({
  which: 'system',
  settings: { shared_buffers: '1GB', max_wal_size: '8GB' },
})
const folder = await mkdtemp(join(tmpdir(), 'plimsoll-bench-audit-'))
try {
  await execute(server.url, ['create database shop'])
  const url = new URL(server.url)
  url.pathname = '/shop'
  const shop = url.href
  await makeOrders(shop, 'orders', ROWS, DAYS)
  await makeOrders(shop, 'short', Math.floor(ROWS / TIMES_LONGER), DAYS / TIMES_LONGER)
  report('versions', { node: process.version, postgres: server.version, rows: ROWS, repeats: REPEATS })
  for (const table of ['orders', 'short']) await copy(shop, table)
  await reconcileEqual()
  await windows()
  await manyDifferences()
} finally {
  await server.dispose()
  await rm(folder, { recursive: true, force: true })
}

/** Each table in a folder of its own: a file of its own, a catalog of its own. */
async function copy(shop: string, table: string): Promise<void> {
  await execute(shop, ['select 1'])
  await plimsoll(
    [
      'copy',
      shop,
      `duckdb:${join(folder, `${table}.duckdb`)}`,
      '--table',
      `public.${table}`,
      '--state',
      stateOf(table),
    ],
    folder,
  )
}

function stateOf(table: string): string {
  return join(folder, `state-${table}`)
}

/** A check may end with 3: it found something, which is no failure of the bench. */
async function check(table: string, args: readonly string[]): Promise<ProgramRun> {
  const all = [...args, '--state', stateOf(table), '--json', '--quiet', '--second-look', '1ms']
  return runProgram(process.execPath, [`${ROOT}bin/plimsoll.cjs`, ...all], folder, [0, 3])
}

async function reconcileEqual(): Promise<void> {
  const scans = JSON.parse(
    (
      await runProgram(
        process.execPath,
        ['scripts/run-ts.mjs', 'bench/fingerprint-scans.ts', stateOf('orders'), String(REPEATS)],
        ROOT,
      )
    ).output,
  ) as { sourceMs: number; destinationMs: number }
  const times: number[] = []
  let peakBytes = 0
  for (let i = 0; i < REPEATS; i++) {
    const run = await check('orders', ['reconcile', 'public.orders'])
    times.push(run.wallMs)
    peakBytes = Math.max(peakBytes, run.peakBytes)
  }
  const wallMs = median(times)
  report('reconcile of equal tables', {
    seconds: wallMs / 1000,
    source_scan_seconds: scans.sourceMs / 1000,
    destination_scan_seconds: scans.destinationMs / 1000,
    ratio_to_both_scans: wallMs / (scans.sourceMs + scans.destinationMs),
    peak_mb: peakBytes / 1e6,
  })
}

async function windows(): Promise<void> {
  const hours = Math.floor((DAYS / TIMES_LONGER) * 24 * WINDOW_SHARE)
  // The newest row is a day old.
  const args = (table: string) => ['audit', `public.${table}`, '--window', `${24 + hours}h`]
  const times: Record<string, number> = {}
  for (const table of ['short', 'orders']) {
    const runs: number[] = []
    for (let i = 0; i < REPEATS; i++) runs.push((await check(table, args(table))).wallMs)
    times[table] = median(runs)
  }
  report('audit of one window', {
    short_seconds: times.short! / 1000,
    long_seconds: times.orders! / 1000,
    ratio: times.orders! / times.short!,
    times_longer: TIMES_LONGER,
  })
}

async function manyDifferences(): Promise<void> {
  await runProgram(
    process.execPath,
    [
      'scripts/run-ts.mjs',
      'bench/spoil-duckdb.ts',
      join(folder, 'orders.duckdb'),
      `UPDATE public.orders SET customer = customer + 1 WHERE id <= ${DIFFERENCES}`,
    ],
    ROOT,
  )
  const run = await check('orders', ['reconcile', 'public.orders'])
  const [stream] = (
    JSON.parse(run.output) as {
      streams: { counts: Record<string, number>; at_least: boolean; capped: boolean; findings: unknown[] }[]
    }
  ).streams
  report('differences beyond the cap', {
    planted: DIFFERENCES,
    found: stream?.counts.findings ?? 0,
    at_least: String(stream?.at_least),
    listed: stream?.findings.length ?? 0,
    seconds: run.wallMs / 1000,
    peak_mb: run.peakBytes / 1e6,
  })
}
