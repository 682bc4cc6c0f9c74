import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { expect, test } from 'vitest'
import { startPostgres } from '../../scripts/servers/postgres.ts'
import { openCatalog } from '../../src/catalog/sqlite/index.ts'
import type { Failpoint } from '../../src/kernel/failpoint.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'
import { runProgram } from './program.ts'
import { afterGuard, type Combination, change, complaints, openStage, type Stage } from './stage.ts'

// `land.acknowledged` and `land.marker_published` belong to destinations without transactions: there is none yet.

const server = postgresServers()[0]!
const COMBINATIONS: readonly Combination[] = [
  { destination: 'duckdb', mode: 'upsert' },
  { destination: 'postgres', mode: 'upsert' },
]
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A death at an instant that not every run comes to, on both destinations. */
function dies(
  name: Failpoint,
  work: (stage: Stage, die: (args?: readonly string[]) => Promise<void>) => Promise<void>,
): void {
  test.each(COMBINATIONS)(`${name}, $destination (E74)`, async (combination) => {
    const source = await freshDatabase(server, 'rare source')
    const stage = await openStage(source, await freshDatabase(server, 'rare copy'), combination)
    try {
      expect((await stage.copy()).errors).toBe('')
      await change(stage, 1)
      await afterGuard()
      await work(stage, async (more = []) => {
        const died = await stage.copy({ failpoint: name }, more)
        expect(died.signal, died.errors).toBe('SIGKILL')
      })
      await afterGuard()
      for (let i = 0; i < 2; i++) {
        const again = await stage.copy()
        expect(again.code, again.errors).toBe(0)
        await afterGuard()
      }
      expect(await complaints(stage)).toEqual([])
    } finally {
      await stage.dispose()
    }
  })
}

const wellDone = async (stage: Stage, more: readonly string[] = []) => {
  const done = await stage.copy({}, more)
  expect(done.code, done.errors).toBe(0)
  return (done.json as { results: Result[] }).results[0]!
}

interface Result {
  readonly generation: number
  readonly watermark_after: unknown
  readonly bill_rows: number
}

dies('peek.landed', async (stage, die) => {
  const writer = new pg.Client({ connectionString: stage.sourceUrl })
  writer.on('error', () => {})
  await writer.connect()
  await writer.query('begin; select txid_current()')
  await stage.sql(`insert into public.things values (8001, 'peeked', 1, clock_timestamp())`)
  const peeking = ['--set', 'peek=true']
  await die(peeking)
  expect(await stage.landed('select id from public.things where id = 8001')).toHaveLength(1)
  await wellDone(stage, peeking)
  await writer.query('rollback')
  await writer.end()
})

dies('schema.destination_altered', async (stage, die) => {
  await stage.sql('alter table public.things add column extra integer default 5')
  await die()
  await wellDone(stage)
  const columns = await stage.landed(
    `select column_name from information_schema.columns where table_name = 'things' and column_name = 'extra'`,
  )
  expect(columns).toHaveLength(1)
})

const DECREEING = ['--set', 'holdMaxMs=300', '--set', 'fenceWaitMs=60']

/** A writer is passed over; `until` says when the program dies. */
async function decree(
  stage: Stage,
  die: (args: readonly string[]) => Promise<void>,
  when: 'decree' | 'bill',
) {
  const writer = new pg.Client({ connectionString: stage.sourceUrl })
  writer.on('error', () => {})
  await writer.connect()
  await writer.query(`begin; insert into public.things values (8002, 'late', 1, clock_timestamp())`)
  await stage.sql(`insert into public.things values (8003, 'passes', 1, clock_timestamp())`)
  await pause(400)
  if (when === 'decree') await die(DECREEING)
  await wellDone(stage, DECREEING)
  expect(await stage.landed('select id from public.things where id in (8002, 8003)')).toHaveLength(1)
  expect(await debts(stage)).toBe(1)
  await writer.query('commit')
  await writer.end()
  await afterGuard()
  if (when === 'bill') await die(DECREEING)
  await wellDone(stage, DECREEING)
  expect(await stage.landed('select id from public.things where id in (8002, 8003)')).toHaveLength(2)
  expect(await debts(stage)).toBe(0)
}

async function debts(stage: Stage): Promise<number> {
  const catalog = await openCatalog(join(stage.folder, '.plimsoll'))
  try {
    const [stream] = await catalog.streams()
    return (JSON.parse((await catalog.memory(stream!, 'stream'))!) as { debts: unknown[] }).debts.length
  } finally {
    await catalog.close()
  }
}

dies('decree.recorded', (stage, die) => decree(stage, die, 'decree'))
dies('bill.read', (stage, die) => decree(stage, die, 'bill'))
dies('bill.landed', (stage, die) => decree(stage, die, 'bill'))

for (const name of ['generation.opened', 'rewind.recorded'] as const) {
  dies(name, async (stage) => {
    const rewind = ['state', 'rewind', 'public.things', '--to', 'start', '--reason', 'a test', '--yes']
    const died = await stage.plimsoll(rewind, { failpoint: name })
    expect(died.signal, died.errors).toBe('SIGKILL')
    await afterGuard()
    expect((await wellDone(stage)).generation).toBe(2)
  })
}

dies('backfill.slice_landed', async (stage) => {
  await wellDone(stage)
  const claim = stage.combination.destination === 'duckdb' ? 'main.plimsoll_claim' : 'plimsoll.plimsoll_claim'
  const before = await stage.landed(`select watermark from ${claim}`)
  await stage.landed('delete from public.things where id in (3, 300, 599)')
  const died = await stage.plimsoll(['backfill', 'public.things'], { failpoint: 'backfill.slice_landed' })
  expect(died.signal, died.errors).toBe('SIGKILL')
  expect(await stage.landed(`select watermark from ${claim}`)).toEqual(before)
  const filled = await stage.plimsoll(['backfill', 'public.things'])
  expect(filled.code, filled.errors).toBe(0)
  expect(await stage.landed(`select watermark from ${claim}`)).toEqual(before)
})

test('read.page_done, from a SQLite file (E74)', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-page-'))
  try {
    const db = new Database(join(folder, 'source.db'))
    db.exec(`create table t (id integer primary key, body text, at text); create index i on t (at)`)
    const insert = db.prepare(`insert into t values (?, 'x', strftime('%Y-%m-%d %H:%M:%S', 'now', ?))`)
    db.transaction(() => {
      for (let id = 1; id <= 500; id++) insert.run(id, `-${7200 - id} seconds`)
    })()
    const url = `duckdb://${join(folder, 'copy.duckdb')}`
    const args = [
      'copy',
      'sqlite:source.db',
      url,
      '--table',
      't',
      '--position',
      'at',
      '--stamped-by',
      'database',
    ]
    const copy = (failpoint?: string) =>
      runProgram([...args, '--set', 'pageRows=50'], { cwd: folder, ...(failpoint ? { failpoint } : {}) })
    const died = await copy('read.page_done:3')
    expect(died.signal, died.errors).toBe('SIGKILL')
    const again = await copy()
    expect(again.code, again.errors).toBe(0)
    const [result] = (again.json as { results: { counts: Record<string, number> }[] }).results
    expect(result!.counts).toMatchObject({ rows_read: 500, inserted: 500 })
    db.close()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('replica.waited, with a real replica (E74)', async () => {
  const primary = await startPostgres({ which: 'system' })
  const replica = await primary.createReplica()
  const stage = await openStage(primary.url, '', { destination: 'duckdb', mode: 'upsert' })
  try {
    const yaml = `name: crash\nsource:\n  url: ${primary.url}\n  replicaUrl: ${replica.url}\n  guardMs: 20\ndestination:\n  url: ${stage.destinationUrl}\ntables:\n  public.things:\n    position: { column: updated_at, stampedBy: database }\n    sliceRows: 100\n    fullScanMaxRows: 50\n    overlap: { fixed: 0s }\n    retries: 1\n`
    await writeFile(join(stage.folder, 'plimsoll.yaml'), yaml)
    const run = (failpoint?: string) => stage.plimsoll(['run'], failpoint ? { failpoint } : {})
    for (let round = 0; round < 2; round++) {
      const died = await run('replica.waited')
      expect(died.signal, died.errors).toBe('SIGKILL')
      const again = await run()
      expect(again.code, again.errors).toBe(0)
      await change(stage, round)
      await afterGuard()
    }
    expect((await run()).code).toBe(0)
    expect(await complaints(stage)).toEqual([])
  } finally {
    await stage.dispose()
    await replica.dispose()
    await primary.dispose()
  }
})
