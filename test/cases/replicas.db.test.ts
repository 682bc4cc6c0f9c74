import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PostgresServer, startPostgres } from '../../scripts/servers/postgres.ts'
import { serverTmpdir } from '../../scripts/servers/server-user.ts'
import { rewindStream } from '../../src/extract/index.ts'
import { formatPosition } from '../../src/kernel/print.ts'
import { startProxy } from '../support/proxy.ts'
import { ask, caseTest, pause, Scene, STAMPED, type Way } from './scene.ts'

let primary: PostgresServer
let replica: PostgresServer
let databaseCount = 0

beforeAll(async () => {
  primary = await startPostgres({ which: 'system' })
  replica = await primary.createReplica()
}, 60_000)

afterAll(async () => {
  await replica?.dispose()
  await primary?.dispose()
})

async function database(): Promise<string> {
  const name = `c${++databaseCount}`
  await ask(primary.url, `create database ${name}`)
  return name
}

const at = (server: PostgresServer, name: string): string => server.url.replace(/\/postgres$/, `/${name}`)

async function onReplica(way: Way, setup: string, few: Record<string, number> = {}): Promise<Scene> {
  const name = await database()
  await ask(at(primary, name), setup)
  await replayed()
  return Scene.open(way, 'select 1', {
    sourceUrl: at(primary, name),
    replicaUrl: at(replica, name),
    settings: { few: { replicaWaitMs: 3_000, retries: 5, ...few } },
  })
}

/** Waits until the replica has everything that is on the primary now. */
async function replayed(): Promise<void> {
  const [[lsn]] = (await ask(primary.url, 'select pg_current_wal_insert_lsn()')) as [[string]]
  for (let i = 0; i < 200; i++) {
    const [[done]] = (await ask(replica.url, `select pg_last_wal_replay_lsn() >= '${lsn}'::pg_lsn`)) as [
      [string],
    ]
    if (done === 't') return
    await pause(30)
  }
}

async function setOnReplica(name: string, value: string): Promise<void> {
  await ask(replica.url, `alter system set ${name} = '${value}'`)
  await ask(replica.url, 'select pg_reload_conf()')
  await pause(50)
}

caseTest('PAGE-1 a recovery conflict cancels the reading of a standby', async (way) => {
  const scene = await onReplica(
    way,
    `${STAMPED} insert into t select g, repeat('x', 200), now() - interval '1 hour' + g * interval '1 millisecond' from generate_series(1, 50) g; analyze t`,
    { sliceRows: 10, fullScanMaxRows: 1 },
  )
  await setOnReplica('max_standby_streaming_delay', '0')
  let slices = 0
  await scene.reaching(async (name) => {
    if (name !== 'slice.receipt_stored' || ++slices !== 2) return
    await ask(scene.at.sourceUrl, 'delete from t where id <= 5')
    await ask(scene.at.sourceUrl, 'vacuum t')
    await replayed()
  })
  try {
    const result = await scene.runWell()
    expect((await scene.records()).at(-1).retries).toHaveLength(1)
    // A retry begins at the claim, an overlap lower.
    if (way.overlap) expect(result.counts.rows_read).toBe(50)
    expect(result.counts).toMatchObject({ inserted: 50, updated: 0, late: 0 })
    const ids = (await scene.landed()).map((row) => Number(row[0])).sort((a, b) => a - b)
    expect(ids).toEqual(Array.from({ length: 50 }, (_, index) => index + 1))
  } finally {
    await setOnReplica('max_standby_streaming_delay', '30s')
  }
})

caseTest('IDENT-3 the replica replays a minute late', async (way) => {
  const scene = await onReplica(way, `${STAMPED} insert into t values (1, 'a')`, { replicaWaitMs: 300 })
  await scene.runOut()
  await setOnReplica('recovery_min_apply_delay', '60s')
  try {
    await scene.sql(`insert into t values (2, 'b')`)
    await pause(40)
    const before = await scene.claim()
    const held = await scene.runWell()
    expect(held.outcome).toBe('held')
    expect(held.heldBecause).toMatch(/not replayed/)
    expect((await scene.claim())?.watermark).toEqual(before?.watermark)
  } finally {
    await setOnReplica('recovery_min_apply_delay', '0')
  }
  await scene.runOut()
})

caseTest('CHECK-1 many small commits that nobody flushes', async (way) => {
  const scene = await onReplica(way, STAMPED)
  const writer = await scene.session()
  await writer.query('set synchronous_commit = off')
  let isWriting = true
  const writing = (async () => {
    for (let id = 1; isWriting; id++) await writer.query(`insert into t values (${id}, 'x')`)
  })()
  try {
    for (let run = 0; run < 5; run++) {
      const { watermarkAfter } = await scene.runWell()
      const mark = formatPosition(watermarkAfter)
      const below = await ask(scene.at.sourceUrl, `select id from t where at < '${mark}'`)
      const landed = new Set((await scene.landed()).map((row) => row[0]))
      expect(below.filter(([id]) => !landed.has(id!))).toEqual([])
      await pause(60)
    }
  } finally {
    isWriting = false
    await writing
  }
  expect((await scene.runOut()).every((result) => result.counts.late === 0)).toBe(true)
})

caseTest('CHECK-2 a replay that stands still is not taken for caught up', async (way) => {
  const scene = await onReplica(way, `${STAMPED} insert into t values (1, 'a')`, { replicaWaitMs: 400 })
  await scene.runOut()
  await ask(replica.url, 'select pg_wal_replay_pause()')
  try {
    await scene.sql(`insert into t values (2, 'b')`)
    await pause(300)
    const before = await scene.claim()
    const held = await scene.runWell()
    expect(held.outcome).toBe('held')
    expect((await scene.claim())?.watermark).toEqual(before?.watermark)
  } finally {
    await ask(replica.url, 'select pg_wal_replay_resume()')
  }
  await scene.runOut()
})

caseTest('OWN-7 a log switch on an idle primary', async (way) => {
  const scene = await onReplica(way, `${STAMPED} insert into t values (1, 'a')`, { replicaWaitMs: 5_000 })
  await scene.runOut()
  await ask(primary.url, 'select pg_switch_wal()')
  const startedMs = performance.now()
  const result = await scene.runWell()
  expect(result.heldBecause).toBeUndefined()
  expect(performance.now() - startedMs).toBeLessThan(4_000)
  expect(result.outcome).not.toBe('held')
})

/** Last, for it needs servers of its own: a copy of the data directory, as a backup would restore it. */
test('IDENT-2 a clone refreshed from a backup, and the declared rewind', { timeout: 60_000 }, async () => {
  const name = await database()
  await ask(
    at(primary, name),
    `${STAMPED} insert into t select g, 'old', now() - interval '2 hours' + g * interval '1 second' from generate_series(1, 100) g`,
  )
  const root = mkdtempSync(join(serverTmpdir(), 'plimsoll-clone-'))
  const dataDir = join(root, 'data')
  chmodSync(root, 0o755)
  await primary.stop()
  execFileSync('cp', ['-a', primary.dataDir, dataDir])
  await primary.restart()
  const proxy = await startProxy(primary.port)
  const clone = await startPostgres({ which: 'system', dataDir })
  try {
    for (const overlap of [{ kind: 'fixed', amount: 0n } as const, undefined]) {
      proxy.leadTo(primary.port)
      const scene = await Scene.open({ overlap, destination: 'duckdb' }, 'select 1', {
        sourceUrl: proxy.through(at(primary, name)),
      })
      await ask(at(primary, name), `insert into t values (1000 + ${overlap ? 1 : 2}, 'after the backup')`)
      await pause(40)
      const first = await scene.runWell()
      proxy.leadTo(clone.port)
      await scene.restart()
      const stopped = await scene.run()
      expect(stopped.error).toMatchObject({
        code: 'SOURCE_WENT_BACK',
        hint: expect.stringContaining('rewind'),
      })
      expect((await scene.claim())?.watermark).toEqual(first.watermarkAfter)
      const [[text]] = (await ask(
        at(clone, name),
        `select to_char(at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || 'Z' from t where id = 91`,
      )) as [[string]]
      const settings = { ...scene.settings, overlap: { kind: 'fixed', amount: 0n } as const }
      await rewindStream(
        scene.engine,
        settings,
        { kind: 'position', text },
        { person: 'ada', reason: 'clone' },
      )
      const again = await scene.runWell({ overlap: settings.overlap })
      expect(again.generation).toBe(2)
      expect(again.counts.rows_read).toBe(10)
      await scene.close()
    }
  } finally {
    await proxy.close()
    await clone.dispose()
    rmSync(root, { recursive: true, force: true })
  }
})

test('OWN-10 a standby is promoted: the new timeline is noticed within the first seconds', {
  timeout: 60_000,
}, async () => {
  const name = await database()
  await ask(at(primary, name), `${STAMPED} insert into t values (1, 'a')`)
  await replayed()
  const proxy = await startProxy(primary.port)
  const scenes: Scene[] = []
  for (const way of [
    { overlap: { kind: 'fixed', amount: 0n }, destination: 'duckdb' },
    { overlap: undefined, destination: 'postgres' },
  ] as const) {
    const scene = await Scene.open(way, 'select 1', { sourceUrl: proxy.through(at(primary, name)) })
    await scene.runOut()
    scenes.push(scene)
  }
  await replayed()
  await primary.stop()
  await ask(replica.url, 'select pg_promote()')
  proxy.leadTo(replica.port)
  await ask(at(replica, name), `insert into t values (2, 'on the new primary')`)
  await pause(40)
  for (const scene of scenes) {
    await scene.restart()
    const before = await scene.claim()
    const [[control]] = (await ask(replica.url, 'select timeline_id from pg_control_checkpoint()')) as [
      [string],
    ]
    expect(['1', '2']).toContain(control)
    const stopped = await scene.run()
    expect(stopped.error).toMatchObject({
      code: 'SOURCE_CHANGED',
      message: expect.stringContaining('timeline'),
    })
    expect((await scene.claim())?.watermark).toEqual(before?.watermark)
    const rewinding = { onTimelineChange: { rewindUs: 600_000_000n } } as const
    const died = new Error('died with the new generation')
    await scene.reaching((name) => {
      if (name === 'generation.opened') throw died
    })
    await expect(scene.run(rewinding)).rejects.toThrow(died)
    const lowered = await scene.claim()
    expect(Number(before!.watermark!.value) - Number(lowered!.watermark!.value)).toBe(600_000_000)
    await scene.reaching(() => undefined)
    const gone = await scene.runWell(rewinding)
    const alarms = await scene.engine.catalog.alarms(true)
    expect(alarms.map((alarm) => alarm.name)).toContain('timeline_changed')
    expect(gone.counts.rows_read).toBeGreaterThanOrEqual(2)
    expect(gone.generation).toBe(2)
    const facts = JSON.parse((await scene.claim())!.facts)
    expect(facts).toMatchObject({ cause: 'timeline_changed', parent: 1, source: { timeline: '00000002' } })
    expect((await scene.runWell(rewinding)).generation).toBe(2)
    await scene.expectEqual()
  }
})
