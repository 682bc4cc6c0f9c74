import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runProgram } from '../crash/program.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'
import { openStaging, type Staging } from './staging.ts'

let staging: Staging
beforeAll(async () => {
  staging = await openStaging('refusals')
})
afterAll(() => staging?.dispose())

const RUN = ['--rate', '20', '--for', '1s'] as const

/** Refused before the first write: exit 2, and no trace of a load. */
async function expectRefused(sentence: string, ...args: readonly string[]): Promise<void> {
  const ended = await staging.plimsoll(...(args.length > 0 ? args : ['--on', staging.url, ...RUN]))
  expect(ended.code, ended.errors).toBe(2)
  expect(ended.errors).toContain(sentence)
  expect(ended.json).toMatchObject({ ok: false, error: { code: 'REHEARSAL_REFUSED' } })
  const { rows } = await staging.sql(`select to_regnamespace('plimsoll_load') as there`)
  expect(rows).toEqual([{ there: null }])
}

const marks = async () =>
  (await staging.sql(`select to_regclass('public.plimsoll_rehearsal') as there`)).rows[0].there

describe('A49: a database is not loaded', () => {
  test('without rehearsal: true of its source, nor marked', async () => {
    await staging.configure({ rehearsal: false })
    await expectRefused('rehearsal: true')
    await expectRefused('rehearsal: true', '--mark', staging.database)
    expect(await marks()).toBeNull()
    await staging.configure({})
  })

  test('under another address than the configuration names', () =>
    expectRefused('source is', '--on', 'postgres://elsewhere/shop', ...RUN))

  test('without a mark', () => expectRefused('plimsoll_rehearsal is missing'))

  test('whose name was not typed in full is not marked: exit 2', async () => {
    for (const name of [staging.database.slice(0, -1), 'yes', '']) {
      const ended = await staging.plimsoll('--mark', name)
      expect(ended.code, ended.errors).toBe(2)
    }
    expect((await staging.plimsoll('--mark', staging.database, '--days', '31')).code).toBe(2)
    expect(await marks()).toBeNull()
    const marked = await staging.plimsoll('--mark', staging.database, '--days', '30')
    expect(marked.code, marked.errors).toBe(0)
    const { rows } = await staging.sql(
      `select database, expires_at - marked_at = interval '30 days' as month from plimsoll_rehearsal`,
    )
    expect(rows).toEqual([{ database: staging.database, month: true }])
  })

  test('whose mark has expired, is of another server, or of another database', async () => {
    const change = (set: string) => staging.sql(`update plimsoll_rehearsal set ${set}`)
    const keep = async (set: string, sentence: string) => {
      const { rows } = await staging.sql('select * from plimsoll_rehearsal')
      await change(set)
      await expectRefused(sentence)
      const { database, identity, timeline } = rows[0]
      await staging.sql(
        `update plimsoll_rehearsal set database = $1, identity = $2, timeline = $3, marked_at = now(), expires_at = now() + interval '1 day'`,
        [database, identity, timeline],
      )
    }
    await keep(
      `marked_at = now() - interval '2 days', expires_at = now() - interval '1 second'`,
      'has expired',
    )
    // A production copy into which the marker was cloned: what it names is where it came from.
    await keep(`identity = '1'`, 'cloned or restored')
    await keep(`timeline = '00000009'`, 'cloned or restored')
    await keep(`database = 'other'`, 'names the database other')
    await staging.sql('insert into plimsoll_rehearsal select * from plimsoll_rehearsal')
    await expectRefused('more than one row')
    await staging.plimsoll('--mark', staging.database)
  })

  test('when something else stands at the destination', async () => {
    const lake = await freshDatabase(postgresServers()[0]!, 'rehearse lake')
    await staging.configure({ destination: lake })
    const pg = await import('pg')
    const client = new pg.default.Client({ connectionString: lake })
    await client.connect()
    await client.query('create table report (n int)')
    await expectRefused('public.report stands in it')
    await client.end()
    const file = join(staging.folder, 'full.duckdb')
    const instance = await DuckDBInstance.create(file)
    const connection = await instance.connect()
    await connection.run('create table report (n int)')
    connection.closeSync()
    instance.closeSync()
    await staging.configure({ destination: `duckdb:${file}` })
    await expectRefused('main.report stands in it')
    await staging.configure({})
  })

  test('on a server that this catalog knows as a source without the flag', async () => {
    await staging.configure({ rehearsal: false, destination: 'duckdb:production.duckdb' })
    const ran = await runProgram(['run'], { cwd: staging.folder })
    expect(ran.code, ran.errors).toBe(0)
    await staging.configure({})
    await expectRefused('which has no rehearsal: true')
    await expectRefused('which has no rehearsal: true', '--mark', staging.database)
  })
})

test('runs of a flagged source do not make it a known one; a period too short is no boundary', async () => {
  const other = await openStaging('flagged')
  try {
    await other.configure({ destination: 'duckdb:other.duckdb' })
    expect((await runProgram(['run'], { cwd: other.folder })).code).toBe(0)
    await other.configure({})
    expect((await other.plimsoll('--mark', other.database)).code).toBe(0)
    const ended = await other.plimsoll(...RUN, '--period', '199ms')
    expect(ended.code).toBe(2)
    expect(ended.errors).toContain('199 ms is too short')
  } finally {
    await other.dispose()
  }
})

test('SQLite offers no load, and says so', async () => {
  const file = join(staging.folder, 'sqlite.yaml')
  await writeFile(
    file,
    'source: { url: "sqlite:shop.db", rehearsal: true }\ndestination: { url: "duckdb:x.duckdb" }\ntables: { orders: }\n',
  )
  const ended = await staging.plimsoll('--config', file, ...RUN)
  expect(ended.code).toBe(2)
  expect(ended.json).toMatchObject({ error: { code: 'NOT_SUPPORTED' } })
})
