import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  backfillStream,
  rewindStream,
  runStream,
  type StreamResult,
  type StreamSettings,
} from '../../src/extract/index.ts'
import { readRecord } from '../../src/extract/record-view.ts'
import { formatTimestampUs, parseTimestamp } from '../../src/kernel/calendar.ts'
import { PlimsollError } from '../../src/kernel/errors.ts'
import type { Source } from '../../src/sources/source.ts'
import { type OpenEngine, openEngine, streamSettings } from '../support/engine.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'

// Rules of a whole run, on a real PostgreSQL source and a real DuckDB file.
const server = postgresServers()[0]!
const MINUTE = 60_000_000n

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-rules-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const SETTINGS = streamSettings('public.things', {
  position: { column: 'at', stampedBy: 'database', grain: 1n },
  fence: { guardMs: 10, fenceSampleMs: 5 },
  limits: { ...streamSettings('public.things').limits, retryDelayMs: 1 },
})

interface Scene extends OpenEngine {
  sql(text: string): Promise<pg.QueryResult>
  run(more?: Partial<StreamSettings>): Promise<StreamResult>
  record(): Promise<Record<string, unknown>>
  alarms(): Promise<string[]>
}

async function scene(name: string, work: (scene: Scene) => Promise<void>): Promise<void> {
  const sourceUrl = await freshDatabase(server, name)
  const client = new pg.Client({ connectionString: sourceUrl })
  await client.connect()
  await client.query(`create table public.things (id int primary key, body text, at timestamptz);
    create index on public.things (at);
    insert into public.things select g, 'b' || g, now() - interval '1 hour' + g * interval '1.7 seconds' from generate_series(1, 100) g;
    analyze public.things`)
  const file = name.replaceAll(/\W+/g, '-')
  const open = await openEngine({
    sourceUrl,
    destinationUrl: `duckdb://${join(folder, `${file}.duckdb`)}`,
    stateDir: join(folder, file),
  })
  try {
    await work({
      ...open,
      sql: (text) => client.query(text),
      async run(more = {}) {
        await new Promise((resolve) => setTimeout(resolve, 25))
        return runStream(open.engine, { ...SETTINGS, ...more })
      },
      // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
      record: async (): Promise<any> =>
        readRecord((await open.engine.catalog.records('test/public.things', 1))[0]!),
      alarms: async () => (await open.engine.catalog.alarms(true)).map((alarm) => alarm.name),
    })
  } finally {
    await open.close()
    await client.end()
  }
}

const positionValue = (position: StreamResult['watermarkAfter']): bigint => position!.value as bigint

describe('a run', () => {
  test('E11 an idle table, ten runs: the watermark follows the clock, nothing beyond the overlap is read', () =>
    scene('idle ten', async ({ run }) => {
      let before = positionValue((await run()).watermarkAfter)
      for (let i = 0; i < 10; i++) {
        const result = await run()
        expect(result.counts.rows_read).toBe(0)
        expect(positionValue(result.watermarkAfter)).toBeGreaterThan(before)
        before = positionValue(result.watermarkAfter)
      }
    }))

  test('E13 every run begins at the last upper bound minus the overlap; only the first at -∞', () =>
    scene('chain', async ({ run, engine }) => {
      for (let i = 0; i < 4; i++) await run({ overlap: { kind: 'fixed', amount: MINUTE } })
      const records = [...(await engine.catalog.records('test/public.things', 10))].sort(
        (a, b) => a.sequence - b.sequence,
      )
      const ranges = records.map((each) => readRecord(each).range!)
      expect(ranges[0]!.lower).toBeNull()
      for (let i = 1; i < ranges.length; i++) {
        expect(BigInt(ranges[i]!.lower!.value)).toBe(BigInt(ranges[i - 1]!.upper.value) - MINUTE)
      }
    }))

  test('E16 peek lands what is above the fence, without a claim; the next run counts it as fresh, not late', () =>
    scene('peek', async ({ run, sql }) => {
      await run()
      await sql(`insert into public.things values (900, 'new', clock_timestamp())`)
      await sql(`insert into public.things values (901, 'new', clock_timestamp())`)
      const behind = await run({ peek: true, fence: { ...SETTINGS.fence, guardMs: 5_000 } })
      expect(behind).toMatchObject({ outcome: 'held', peekRows: 2 })
      expect(behind.watermarkAfter).toEqual(behind.watermarkBefore)
      const next = await run({ peek: true })
      expect(next.counts.late).toBe(0)
      expect(next.counts.fresh).toBeGreaterThanOrEqual(2)
    }))

  test('E21, E42 a backdated row below a proven watermark: late, alarmed by depth, and the level drops', () =>
    scene('contradicted', async ({ run, sql, alarms }) => {
      const first = await run()
      expect(first.proof).toBe('proven')
      const stamp = formatTimestampUs(positionValue(first.watermarkAfter) - 250_000_000n, '+00')
      await sql(`insert into public.things values (500, 'old date', '${stamp}')`)
      const second = await run()
      expect(second.counts).toMatchObject({ late: 1, inserted: 1 })
      expect(second.proof).toBe('assumed')
      expect(await alarms()).toEqual(expect.arrayContaining(['proof_contradicted', 'lateness_near_overlap']))
      expect((await run()).proof).toBe('assumed')
    }))

  test('E41 one planted row of each class is counted in its class', () =>
    scene('classes', async ({ run, sql }) => {
      const first = await run()
      const at = (ago: bigint) => `'${formatTimestampUs(positionValue(first.watermarkAfter) - ago, '+00')}'`
      await sql(
        `insert into public.things values (601, 'a', ${at(9_000_000n)}), (602, 'b', ${at(8_000_000n)}), (603, 'c', ${at(7_000_000n)})`,
      )
      await run()
      await sql(`update public.things set body = 'same position' where id = 601`)
      await sql(`update public.things set at = ${at(9_500_000n)} where id = 602`)
      await sql(`insert into public.things values (604, 'late', ${at(6_000_000n)})`)
      await sql(`insert into public.things values (605, 'fresh', clock_timestamp())`)
      const { counts } = await run()
      expect(counts).toMatchObject({ fresh: 1, late: 1, same_position: 1, regressed: 1, reprocessed: 1 })
      expect(counts.rows_read).toBe(5)
    }))

  test('E44 a future row is delivered, changed, delivered again, and lands normally once due', () =>
    scene('future', async ({ run, sql, destination }) => {
      await sql(`insert into public.things values (700, 'soon', now() + interval '9 seconds')`)
      const first = await run()
      expect(first.laneRows).toEqual({ future: 1 })
      await sql(`update public.things set body = 'sooner', at = now() + interval '6 seconds' where id = 700`)
      expect((await run()).laneRows).toEqual({ future: 1 })
      await sql(`update public.things set at = clock_timestamp() where id = 700`)
      const due = await run()
      expect(due.laneRows).toEqual({})
      expect(due.counts).toMatchObject({ rows_read: 1, updated: 1 })
      expect(await destination.claim('public.things')).toBeDefined()
    }))

  test('E49 a limit of a few milliseconds on a larger table ends complete, in ever smaller slices', () =>
    scene('limit', async ({ run, sql }) => {
      await sql(
        `insert into public.things select g, repeat('x', 400), now() - interval '3 hours' + g * interval '0.05 seconds' from generate_series(1000, 60000) g`,
      )
      const limits = {
        ...SETTINGS.limits,
        queryMaxMs: 60,
        retries: 12,
        sliceRows: 100_000,
        fullScanMaxRows: 1_000,
      }
      const result = await run({ limits })
      expect(result.error).toBeUndefined()
      expect(result.counts.rows_read).toBe(100 + 59_001)
    }))

  test('E65 an error without end stops at the bound, with the count in the record', () =>
    scene('retries', async ({ engine, record }) => {
      let opened = 0
      const real = engine.source
      const source: Source = {
        capabilities: real.capabilities,
        identity: () => real.identity(),
        list: () => real.list(),
        describe: (table, declared) => real.describe(table, declared),
        fence: (request) => real.fence(request),
        explain: (request, range) => real.explain(request, range),
        openLook: (request) => real.openLook(request),
        close: () => real.close(),
        openReader: async () => {
          opened++
          throw new PlimsollError('SOURCE_UNAVAILABLE', 'the network is gone')
        },
      }
      const result = await runStream(
        { ...engine, source },
        { ...SETTINGS, limits: { ...SETTINGS.limits, retries: 3 } },
      )
      expect(result).toMatchObject({ outcome: 'failed', error: { code: 'SOURCE_UNAVAILABLE' } })
      expect(opened).toBe(4)
      expect((await record()).retries).toHaveLength(3)
    }))

  test('E67 an added column is reported with the range it offers to read; a renamed one stops before landing', () =>
    scene('schema', async ({ run, sql, alarms, engine, record }) => {
      await run()
      await sql('alter table public.things add column c int default 7')
      const second = await run()
      expect(second.error).toBeUndefined()
      expect(await alarms()).toContain('column_added')
      expect((await record()).columns_added).toEqual(['c'])
      const filled = await backfillStream(engine, SETTINGS, { from: undefined, to: undefined })
      expect(filled.counts).toMatchObject({ rows_read: 100, updated: 100 })
      await sql('alter table public.things rename column c to d')
      const third = await run()
      expect(third).toMatchObject({ outcome: 'failed', error: { code: 'SCHEMA_CHANGED' } })
    }))

  test('E68 another position column in the configuration alone stops, and says what a person must do', () =>
    scene('position', async ({ run, sql, engine }) => {
      await run()
      await sql(
        'alter table public.things add column seen timestamptz default now(); create index on public.things (seen)',
      )
      const other: Partial<StreamSettings> = {
        position: { column: 'seen', stampedBy: 'database', grain: 1n },
      }
      const stopped = await run(other)
      expect(stopped.error).toMatchObject({ code: 'POSITION_TYPE_CHANGED' })
      expect(stopped.error!.hint).toContain('state rewind')
      await rewindStream(
        engine,
        SETTINGS,
        { kind: 'start' },
        { person: 'ada', reason: 'seen is stamped by us' },
      )
      expect((await run(other)).error).toBeUndefined()
    }))

  test('E70 a watermark falls only across a generation border, with person and reason in the record', () =>
    scene('rewind', async ({ run, engine, record }) => {
      const first = await run()
      const to = formatTimestampUs(positionValue(first.watermarkAfter) - 10n * MINUTE, 'Z')
      const rewound = await rewindStream(
        engine,
        SETTINGS,
        { kind: 'position', text: to },
        { person: 'ada', reason: 'a restore' },
      )
      expect(rewound.generation).toBe(2)
      expect(positionValue(rewound.after)).toBe(parseTimestamp(to)!)
      expect(await record()).toMatchObject({
        kind: 'rewind',
        person: 'ada',
        reason: 'a restore',
        parent: '1',
      })
      await expect(
        rewindStream(
          engine,
          SETTINGS,
          { kind: 'position', text: '2999-01-01' },
          { person: 'ada', reason: 'up' },
        ),
      ).rejects.toMatchObject({ code: 'STATE_INVALID' })
    }))
})
