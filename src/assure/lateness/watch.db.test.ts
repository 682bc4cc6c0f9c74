import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { PostgresServer } from '../../../scripts/servers/postgres.ts'
import { openEngine, streamSettings } from '../../../test/support/engine.ts'
import { openSession } from '../../../test/support/postgres-source.ts'
import { freshDatabase, ownServer } from '../../../test/support/servers.ts'
import { runStream, type StreamSettings } from '../../extract/index.ts'
import { readRecord } from '../../extract/record-view.ts'
import { emptyEntry } from './entry.ts'
import { JUDGED_DAYS, loadHistory } from './history.ts'
import { latenessKnowledge } from './knowledge.ts'
import { allTogether } from './levels.ts'
import { addTo, sketchCount, sketchQuantile } from './sketch.ts'
import { startLateness } from './start.ts'
import { addToStore, startOfDay } from './store.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await ownServer({ track_commit_timestamp: 'on' })
})

const AUTO = { kind: 'learned', quantile: 0.999, min: 1_000_000n, max: 3_600_000_000n } as const
const SETTINGS = streamSettings('public.t', {
  position: { column: 'at', stampedBy: 'application', grain: 1n },
  overlap: { kind: 'fixed', amount: 4_000_000n },
  fence: { method: 'settle', settleMs: 0 },
})

/** Source, engine and watch; every run has its own source clock, so rows are stamped by `now() - …`. */
async function scene(name: string, settings: StreamSettings = SETTINGS) {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-lateness-'))
  const sourceUrl = await freshDatabase(server, name)
  const sql = await openSession(sourceUrl)
  await sql(`CREATE TABLE t (id int PRIMARY KEY, at timestamptz NOT NULL); CREATE INDEX ON t (at);
    INSERT INTO t VALUES (0, now() - interval '1 minute')`)
  const opened = await openEngine({
    sourceUrl,
    destinationUrl: await freshDatabase(server, `${name} target`),
    stateDir: join(folder, 'state'),
  })
  const lateness = startLateness(opened.engine, { samplerMs: 200, keeps: true })
  onTestFinished(async () => {
    await lateness.stop()
    await opened.close()
    await rm(folder, { recursive: true, force: true })
  })
  const engine = { ...opened.engine, lateness: lateness.watch }
  const { catalog } = engine
  return {
    sql,
    sourceUrl,
    engine,
    catalog,
    run: (more: Partial<StreamSettings> = {}) => runStream(engine, { ...settings, ...more }),
    history: () => loadHistory(catalog, settings.catalogKey, catalog.nowUs(), JUDGED_DAYS),
    lastRecord: async () => readRecord((await catalog.records(settings.catalogKey, 1))[0]!),
    alarms: async () => (await catalog.alarms(true)).map(({ name: alarm }) => alarm),
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('runs measure lateness', () => {
  test('commit times, late rows and open transactions, each apart', async () => {
    const { sql, sourceUrl, run, history, engine } = await scene('three ways')
    await run()
    const writer = await openSession(sourceUrl)
    await writer(`BEGIN; INSERT INTO t VALUES (1, clock_timestamp())`)
    await pause(1_200)
    await sql(`INSERT INTO t SELECT g, clock_timestamp() FROM generate_series(10, 19) g`)
    await run()
    await writer('COMMIT')
    await pause(50)
    await run()
    const { commit, lateRows, open } = await history()
    const measured = allTogether(commit)
    expect(sketchCount(measured.sketch)).toBe(11)
    expect(measured.sketch.most / 1e6).toBeGreaterThan(1.2)
    expect(measured.sketch.most / 1e6).toBeLessThan(4)
    expect(sketchQuantile(measured.sketch, 0.5) / 1e6).toBeLessThan(0.5)
    const late = allTogether(lateRows)
    expect(sketchCount(late.sketch)).toBe(1)
    expect(late.deepest / 1e6).toBeGreaterThan(0)
    expect(late.sketch.most).toBeGreaterThanOrEqual(measured.sketch.most * 0.99)
    const looked = allTogether(open)
    expect(looked.looks).toBeGreaterThan(0)
    expect(looked.sketch.most / 1e6).toBeGreaterThan(0.2)
    const knowledge = await latenessKnowledge(engine, SETTINGS)
    expect(knowledge.largestLatenessUs! > 1_200_000n).toBe(true)
    expect(knowledge.longestTransactionUs! > 500_000n).toBe(true)
  })

  test('a row that was committed below the overlap pages, whatever its lateness', async () => {
    const { sql, run, alarms, catalog } = await scene('beyond')
    await run()
    await sql('INSERT INTO t VALUES (1, now())')
    await run()
    await pause(100)
    await sql(`INSERT INTO t VALUES (2, now() - interval '6 seconds'), (3, now())`)
    const late = await run()
    expect(late.counts.fresh + late.counts.late).toBe(1)
    expect(await alarms()).toContain('lateness_beyond_overlap')
    const [alarm] = (await catalog.alarms(true)).filter(({ name }) => name === 'lateness_beyond_overlap')
    expect(alarm!.text).toContain('1 row was committed below the overlap')
    expect(BigInt(JSON.parse(alarm!.evidence).depth) > 4_000_000n).toBe(true)
  })

  test('beyond the overlap is over when the overlap is longer and an audit after it was clean, not before', async () => {
    const { sql, run, alarms, catalog } = await scene('over')
    await run()
    await sql('INSERT INTO t VALUES (1, now())')
    await run()
    await pause(100)
    await sql(`INSERT INTO t VALUES (2, now() - interval '6 seconds'), (3, now())`)
    await run()
    const longer = { overlap: { kind: 'fixed', amount: 20_000_000n } } as const
    await sql('INSERT INTO t VALUES (4, now())')
    await run(longer)
    expect(await alarms()).toContain('lateness_beyond_overlap')
    const audit = { kind: 'audit', opened_us: String(catalog.nowUs()), counts: { findings: '0' } }
    await catalog.appendRecord(SETTINGS.catalogKey, audit)
    await sql('INSERT INTO t VALUES (5, now())')
    await run(longer)
    expect(await alarms()).not.toContain('lateness_beyond_overlap')
  })

  test('what was seen by the run before is not beyond', async () => {
    const { sql, run, alarms } = await scene('not beyond')
    await run()
    await sql(`INSERT INTO t SELECT g, now() - interval '3 seconds' FROM generate_series(1, 5) g`)
    await run()
    await sql(`INSERT INTO t SELECT g, now() - interval '2 seconds' FROM generate_series(6, 9) g`)
    await run()
    expect(await alarms()).not.toContain('lateness_beyond_overlap')
  })

  test('a failure to measure is kept and fails nothing', async () => {
    const { sql, run, engine, catalog } = await scene('failing')
    await run()
    await sql('INSERT INTO t VALUES (1, now())')
    const { PlimsollError } = await import('../../kernel/errors.ts')
    engine.source.commitTimes = () => Promise.reject(new PlimsollError('SOURCE_FAILED', 'no such luck'))
    expect((await run()).outcome).toBe('advanced')
    expect(await catalog.memory(`lateness:${SETTINGS.catalogKey}`, 'failure')).toContain('no such luck')
  })
})

describe('what was measured decides', () => {
  const measuredDay = async (catalog: Parameters<typeof addToStore>[0], seconds: readonly number[]) => {
    const entry = emptyEntry({ runs: 1, rows: seconds.length, seconds: 1_000 })
    for (const each of seconds) addTo(entry.sketch, each * 1e6)
    const dayUs = startOfDay(catalog.nowUs())
    await addToStore(catalog, SETTINGS.catalogKey, { way: 'commit', dayUs, entry })
  }
  const spread = (count: number, most: number) =>
    Array.from({ length: count }, (_, i) => ((i + 1) / count) * most)

  test('2,994 measurements leave the claim assumed and the overlap at its default; 2,995 do not (E19, A37)', async () => {
    const first = await scene('few')
    await measuredDay(first.catalog, spread(2_994, 3))
    expect((await first.run({ overlap: AUTO })).proof).toBe('assumed')
    expect((await first.lastRecord()).overlap?.origin).toContain('default: 2994 of 2995 measurements')
    const second = await scene('enough')
    await measuredDay(second.catalog, spread(2_995, 3))
    const result = await second.run({ overlap: AUTO })
    expect(result.proof).toBe('measured')
    expect(result.proofReason).toContain('measured lateness stays within the overlap')
    const { overlap } = await second.lastRecord()
    expect(overlap?.origin).toMatch(/^learned: p99\.9 2\.9\d* s, loss margin \S+ s of 2995 measurements/)
    expect(Number(overlap?.amount) / 1e6).toBeCloseTo(3, 0)
    expect(overlap).toMatchObject({ learned: { sample_count: '2995', quantile: '0.999' } })
  })

  test('a p99.9 beyond settle and overlap is not measured (E19)', async () => {
    const first = await scene('too late')
    await measuredDay(first.catalog, spread(3_000, 30))
    expect((await first.run()).proof).toBe('assumed')
    const second = await scene('late enough')
    await measuredDay(second.catalog, spread(3_000, 30))
    const settled = { fence: { ...SETTINGS.fence, settleMs: 28_000 } }
    expect((await second.run(settled)).proof).toBe('measured')
  })

  test('the overlap grows at once and shrinks after 7 days (E40)', async () => {
    const { catalog, sql, run, lastRecord } = await scene('shrinks')
    await measuredDay(catalog, spread(3_000, 20))
    await run({ overlap: AUTO })
    await sql('INSERT INTO t VALUES (5, now())')
    await run({ overlap: AUTO })
    const wanted = JSON.parse((await catalog.memory(`lateness:${SETTINGS.catalogKey}`, 'wanted'))!)
    expect(Number(wanted[0].wanted) / 1e6).toBeCloseTo(20, 0)
    const daysAgo = (days: number) => [
      { dayUs: String(startOfDay(catalog.nowUs()) - BigInt(days) * 86_400_000_000n), wanted: '100000000' },
    ]
    const keep = (days: number) =>
      catalog.remember(`lateness:${SETTINGS.catalogKey}`, 'wanted', JSON.stringify(daysAgo(days)))
    await keep(7)
    await run({ overlap: AUTO })
    expect((await lastRecord()).overlap).toMatchObject({
      amount: '100000000',
      learned: { ruler: 'last_7_days' },
    })
    await keep(8)
    await run({ overlap: AUTO })
    expect(Number((await lastRecord()).overlap?.amount) / 1e6).toBeCloseTo(20, 0)
  })
})
