import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runStream } from '../../src/extract/index.ts'
import { openEngine, streamSettings } from '../support/engine.ts'
import { suiteSeed } from '../support/random.ts'
import { readSqliteCopy } from './read-landed.ts'
import { atLeast, compare, fixedLag, greaterThan, type Query, type SeenRow } from './usual-strategies.ts'

const SECONDS = process.env.PLIMSOLL_SUITE === 'long' ? 60 : 12
const WRITERS = 16
const seed = suiteSeed()
const ROOT = fileURLToPath(new URL('../../', import.meta.url))

const SCHEMA = `
create table orders (
  id integer primary key, state text not null,
  updated_at text not null default (strftime('%Y-%m-%d %H:%M:%S', 'now'))
);
create trigger touch after update on orders when new.updated_at is old.updated_at begin
  update orders set updated_at = strftime('%Y-%m-%d %H:%M:%S', 'now') where id = new.id;
end;
create index by_change on orders (updated_at);
`

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-race-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe(`16 writer processes on one SQLite file, seed ${seed}`, () => {
  test.each(['wal', 'delete'])('journal mode %s, S1: 0 lost, 0 doubled, 0 stale', async (mode) => {
    const file = join(folder, `${mode}.db`)
    const db = new Database(file, { timeout: 20_000 })
    db.pragma(`journal_mode = ${mode}`)
    db.exec(SCHEMA)
    for (let id = 1; id <= 40; id++) db.prepare('insert into orders (id, state) values (?, ?)').run(id, 'new')
    const copy = join(folder, `${mode}.duckdb`)
    const open = await openEngine({
      sourceUrl: `sqlite://${file}`,
      destinationUrl: `duckdb://${copy}`,
      stateDir: join(folder, `state-${mode}`),
    })
    const settings = streamSettings('main.orders', {
      position: { column: 'updated_at', stampedBy: 'database', grain: 1_000_000n },
      overlap: { kind: 'fixed', amount: 0n },
    })
    const usual = [
      greaterThan('updated_at'),
      atLeast('updated_at'),
      fixedLag('updated_at', `select strftime('%Y-%m-%d %H:%M:%S', 'now', '-1 seconds')`, async (sql) =>
        String(db.prepare(sql).pluck().get()),
      ),
    ]
    const ask: Query = async (where) => rowsOf(db, where)
    const writers = Array.from({ length: WRITERS }, (_, n) => startWriter(file, n))
    let finished = false
    const done = Promise.all(writers).finally(() => {
      finished = true
    })
    let runs = 0
    while (!finished) {
      const result = await runStream(open.engine, settings)
      if (result.error) throw result.error
      for (const strategy of usual) await strategy.run(ask)
      runs++
    }
    const counts = await done
    await new Promise((resolve) => setTimeout(resolve, 2_100))
    for (let i = 0; i < 3; i++) {
      for (const strategy of usual) await strategy.run(ask)
      const result = await runStream(open.engine, settings)
      if (result.error) throw result.error
      expect(result.proof).toBe('proven')
    }
    await open.close()
    const truth = rowsOf(db, 'true')
    db.close()
    const landed = await readSqliteCopy(copy)
    const ours = { ...compare(truth, landed.byKey), doubled: landed.doubled }
    const theirs = usual.map(({ name, landed: rows }) => ({ name, ...compare(truth, rows) }))
    console.log(
      JSON.stringify({
        mode,
        seed,
        runs,
        rows: truth.length,
        counts: sum(counts),
        plimsoll: ours,
        usual: theirs,
      }),
    )
    expect(ours).toEqual({ lost: 0, stale: 0, doubled: 0 })
    expect(landed.byKey.size).toBe(truth.length)
    const losers = theirs.filter(({ lost, stale }) => lost + stale > 0)
    expect(losers.length, JSON.stringify(theirs)).toBeGreaterThanOrEqual(1)
  })
})

interface Counts {
  readonly committed: number
  readonly rolledBack: number
  readonly lateCommits: number
}

function startWriter(file: string, n: number): Promise<Counts> {
  const args = [
    'scripts/run-ts.mjs',
    'test/race/sqlite-writer.ts',
    file,
    String(n),
    String(seed),
    String(SECONDS),
  ]
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) =>
      code === 0 ? resolve(JSON.parse(output)) : reject(new Error(`writer ${n} ended with ${code}`)),
    )
  })
}

function sum(counts: readonly Counts[]): Counts {
  const add = (pick: (each: Counts) => number) => counts.reduce((total, each) => total + pick(each), 0)
  return {
    committed: add((c) => c.committed),
    rolledBack: add((c) => c.rolledBack),
    lateCommits: add((c) => c.lateCommits),
  }
}

function rowsOf(db: Database.Database, where: string): SeenRow[] {
  const sql = `select cast(id as text) as key, updated_at as position, id || '|' || state || '|' || updated_at as content from orders where ${where}`
  return db.prepare(sql).all() as SeenRow[]
}
