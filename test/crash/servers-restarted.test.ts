import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PostgresServer, startPostgres } from '../../scripts/servers/postgres.ts'
import { untilStopped } from './program.ts'
import { afterGuard, type Combination, complaints, openStage, SLICE_ROWS } from './stage.ts'

let source: PostgresServer
let destination: PostgresServer
let count = 0

beforeAll(async () => {
  ;[source, destination] = await Promise.all([
    startPostgres({ which: 'system' }),
    startPostgres({ which: 'system' }),
  ])
})
afterAll(async () => {
  await source?.dispose()
  await destination?.dispose()
})

const database = async (server: PostgresServer): Promise<string> => {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  const name = `restart_${++count}`
  await client.query(`create database ${name}`)
  await client.end()
  return server.url.replace(/\/postgres$/, `/${name}`)
}

/** The program stands still in its third slice meanwhile. */
const CASES = [
  ['source', 'restart', 'duckdb'],
  ['source', 'kill', 'postgres'],
  ['destination', 'restart', 'postgres'],
  ['destination', 'kill', 'postgres'],
] as const satisfies readonly (readonly [string, string, Combination['destination']])[]

test.each(CASES)('the %s is ended in the middle of a first load (%s), into %s', async (which, how, kind) => {
  const server = which === 'source' ? source : destination
  const stage = await openStage(await database(source), await database(destination), {
    destination: kind,
    mode: 'upsert',
  })
  try {
    const running = stage.start({ standAt: 'land.staged:3' }, ['--set', 'retries=5'])
    await untilStopped(running.child.pid!)
    if (how === 'kill') await server.kill()
    await server.restart('fast')
    running.child.kill('SIGCONT')
    const ended = await Promise.race([running.ended, sleep(60_000)])
    expect(ended, 'the program hangs').toBeDefined()
    expect(ended!.code, ended!.errors).toBe(0)
    const [result] = (ended!.json as { results: { counts: { rows_read: number } }[] }).results
    expect(result!.counts.rows_read).toBeLessThanOrEqual(600 + SLICE_ROWS)
    const fresh = new pg.Client({ connectionString: stage.sourceUrl })
    await fresh.connect()
    const again = { ...stage, sql: (text: string) => fresh.query(text) }
    await afterGuard()
    expect((await stage.copy()).code).toBe(0)
    expect(await complaints(again)).toEqual([])
    await fresh.end()
  } finally {
    await stage.dispose()
  }
})

test('a source that stays away ends the run with its code, and the next run completes', async () => {
  const stage = await openStage(await database(source), await database(destination), {
    destination: 'duckdb',
    mode: 'upsert',
  })
  try {
    const running = stage.start({ standAt: 'land.staged:3' })
    await untilStopped(running.child.pid!)
    await source.stop('immediate')
    running.child.kill('SIGCONT')
    const ended = await running.ended
    expect(ended.code, ended.errors).toBe(4)
    expect(ended.errors).toMatch(/SOURCE_(UNAVAILABLE|SNAPSHOT_LOST)/)
    await source.restart()
    const fresh = new pg.Client({ connectionString: stage.sourceUrl })
    await fresh.connect()
    expect((await stage.copy()).code).toBe(0)
    await afterGuard()
    expect((await stage.copy()).code).toBe(0)
    expect(await complaints({ ...stage, sql: (text: string) => fresh.query(text) })).toEqual([])
    await fresh.end()
  } finally {
    await stage.dispose()
  }
})
