import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { backfillStream, planStream, rewindStream, runPipeline, runStream } from '../../src/extract/index.ts'
import { openEngine, streamSettings } from '../support/engine.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-extract-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const server = postgresServers()[0]!

const settings = streamSettings('main.orders', {
  position: { column: 'updated_at', stampedBy: 'database' },
  target: { schema: 'public', name: 'orders' },
})

describe('a SQLite table copied to PostgreSQL', () => {
  async function scene(name: string) {
    const file = join(folder, `${name}.db`)
    const db = new Database(file)
    db.pragma('journal_mode = wal')
    db.exec(`create table orders (id integer primary key, state text not null, updated_at text not null default (strftime('%Y-%m-%d %H:%M:%S', 'now')));
             create index by_change on orders (updated_at);`)
    for (let id = 1; id <= 30; id++) {
      db.prepare('insert into orders values (?, ?, ?)').run(
        id,
        `s${id}`,
        `2026-01-01 00:00:${String(id).padStart(2, '0')}`,
      )
    }
    const destinationUrl = await freshDatabase(server, name)
    const open = await openEngine({
      sourceUrl: `sqlite://${file}`,
      destinationUrl,
      stateDir: join(folder, `state-${name}`),
    })
    const read = async () => {
      const client = new pg.Client({ connectionString: destinationUrl })
      await client.connect()
      const { rows } = await client.query(
        'select id::int, state, updated_at from public.orders order by id, _plimsoll_seq',
      )
      await client.end()
      return rows as { id: number; state: string; updated_at: string }[]
    }
    return { db, ...open, read, destinationUrl }
  }

  test('first load, increment, idle run: equal, exact counts, nothing read twice but the overlap', async () => {
    const { db, engine, read, close } = await scene('three runs')
    const first = await runStream(engine, settings)
    expect(first.error).toBeUndefined()
    expect(first).toMatchObject({
      outcome: 'advanced',
      proof: 'proven',
      counts: { rows_read: 30, inserted: 30, fresh: 30 },
    })
    expect(await read()).toHaveLength(30)
    const idle = await runStream(engine, settings)
    expect(idle.counts.rows_read).toBe(0)
    db.exec(
      `update orders set state = 'changed', updated_at = strftime('%Y-%m-%d %H:%M:%S', 'now') where id in (3, 4)`,
    )
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const second = await runStream(engine, settings)
    expect(second).toMatchObject({
      outcome: 'advanced',
      counts: { rows_read: 2, updated: 2, inserted: 0, fresh: 2 },
    })
    const truth = db.prepare('select id, state, updated_at from orders order by id').all()
    expect(await read()).toEqual(truth)
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const third = await runStream(engine, settings)
    expect(third.counts).toMatchObject({ rows_read: 2, reprocessed: 2, unchanged: 2, late: 0 })
    await close()
  })

  test('slices land and claim one by one', async () => {
    const { engine, read, close } = await scene('slices')
    const result = await runStream(engine, {
      ...settings,
      limits: { ...settings.limits, sliceRows: 7, fullScanMaxRows: 5 },
    })
    expect(result.counts.inserted).toBe(30)
    const [record] = await engine.catalog.records('test/main.orders', 1)
    expect(JSON.parse(record!.json).slices).toHaveLength(5)
    expect(await read()).toHaveLength(30)
    await close()
  })

  test('plan says everything and changes nothing; backfill and rewind do what they say', async () => {
    const { db, engine, read, close, destinationUrl } = await scene('verbs')
    const before = await planStream(engine, settings)
    expect(before).toMatchObject({ obstacles: [], claim: undefined, range: { lower: undefined } })
    expect(before.sql[0]).toContain('orders')
    expect(await engine.destination.claim('main.orders')).toBeUndefined()
    await runStream(engine, settings)
    const client = new pg.Client({ connectionString: destinationUrl })
    await client.connect()
    await client.query('delete from public.orders where id in (7, 8, 9)')
    const filled = await backfillStream(engine, settings, { from: undefined, to: undefined })
    expect(filled).toMatchObject({
      outcome: 'advanced',
      counts: { rows_read: 30, inserted: 3, unchanged: 27 },
    })
    const again = await backfillStream(engine, settings, {
      from: '2026-01-01 00:00:05',
      to: '2026-01-01 00:00:10',
    })
    expect(again.counts).toMatchObject({ rows_read: 5, inserted: 0, updated: 0, unchanged: 5 })
    expect(again.watermarkAfter).toEqual(filled.watermarkBefore)
    const rewound = await rewindStream(engine, settings, { kind: 'start' }, { person: 'ada', reason: 'test' })
    expect(rewound).toMatchObject({ after: undefined, generation: 2 })
    db.exec(`insert into orders values (31, 'old date', '2025-01-01 00:00:00')`)
    const anew = await runStream(engine, settings)
    expect(anew).toMatchObject({
      outcome: 'advanced',
      generation: 2,
      counts: { rows_read: 31, inserted: 1, unchanged: 30 },
    })
    expect(await read()).toHaveLength(31)
    await client.end()
    await close()
  })

  test('a lost catalog is no loss: the claim beside the data goes on (STATE-4)', async () => {
    const { engine, source, destination, read, close } = await scene('catalog lost')
    const first = await runStream(engine, settings)
    const { openCatalog } = await import('../../src/catalog/sqlite/index.ts')
    const catalog = await openCatalog(join(folder, 'another catalog'))
    const next = await runStream({ ...engine, source, destination, catalog }, settings)
    expect(next.error).toBeUndefined()
    expect(next.counts.inserted).toBe(0)
    expect(next.watermarkBefore).toEqual(first.watermarkAfter)
    expect(await read()).toHaveLength(30)
    await catalog.close()
    await close()
  })

  test('one stream fails, the other lands (E64)', async () => {
    const { engine, close } = await scene('partial')
    const missing = streamSettings('main.nowhere')
    const { results } = await runPipeline(engine, [missing, settings], 2)
    expect(results[0]!.error?.code).toBe('TABLE_NOT_FOUND')
    expect(results[1]!.outcome).toBe('advanced')
    await close()
  })
})
