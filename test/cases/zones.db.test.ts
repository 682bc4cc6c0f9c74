import { afterEach, expect, vi } from 'vitest'
import { formatPosition } from '../../src/kernel/print.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'
import { openAlarms } from './alarms.ts'
import { ask, caseTest, clockUs, microseconds, pause, Scene, STAMPED } from './scene.ts'

const DAY_MS = 86_400_000
const zoneBefore = process.env.TZ

afterEach(() => {
  vi.useRealTimers()
  if (zoneBefore === undefined) delete process.env.TZ
  else process.env.TZ = zoneBefore
})

caseTest('ZONE-1 the zones of process and session change no byte', async (way) => {
  const sourceUrl = await freshDatabase(postgresServers()[0]!, 'zones')
  await ask(
    sourceUrl,
    `${STAMPED} insert into t values (1, 'a', '2026-03-08 02:30:00.123456Z'), (2, 'b', '2026-11-01 06:30:00Z')`,
  )
  const database = new URL(sourceUrl).pathname.slice(1)
  // An open writer gives both copies one fence, and so one watermark.
  const outputs: unknown[] = []
  const options = { sourceUrl, columns: ['id', 'v', microseconds('at', way)] as const }
  const holder = await (await Scene.open(way, 'select 1', options)).session()
  await holder.query('begin; select 1')
  await pause(40)
  for (const [process_, session] of [
    ['UTC', 'UTC'],
    ['America/New_York', 'Asia/Tokyo'],
  ] as const) {
    process.env.TZ = process_
    await ask(sourceUrl, `alter database ${database} set timezone = '${session}'`)
    const scene = await Scene.open(way, 'select 1', options)
    const result = await scene.runWell()
    const [record] = await scene.records()
    const claim = await scene.claim()
    const { range, watermark_after, order } = record
    outputs.push(
      JSON.stringify({
        printed: formatPosition(result.watermarkAfter),
        claim: String(claim?.watermark?.value),
        range,
        watermark_after,
        order,
        landed: await scene.landed(),
      }),
    )
    await scene.expectEqual()
  }
  expect(outputs[1]).toBe(outputs[0])
  expect(outputs[0]).toContain('Z"')
})

const wall = (zone: string) => ({ column: 'at', stampedBy: 'database', zone, grain: 1n }) as const
const WALL = 'create table t (id bigint primary key, v text, at timestamp); create index on t (at);'

for (const [zone, rows] of [
  [
    'America/Chicago',
    `(1, 'gap', '2026-03-08 02:30'), (2, 'first pass', '2026-11-01 01:30'), (3, 'second pass', '2026-11-01 01:30')`,
  ],
  [
    'Europe/Moscow',
    `(1, 'before', '2014-10-26 00:59:59'), (2, 'first', '2014-10-26 01:30'), (3, 'second', '2014-10-26 01:30'), (4, 'after', '2014-10-26 02:00')`,
  ],
] as const) {
  caseTest(`ZONE-2 wall times that never were, and those that were twice: ${zone}`, async (way) => {
    const scene = await Scene.open(way, `${WALL} insert into t values ${rows}`, {
      settings: { position: wall(zone) },
      columns: ['id', 'v', microseconds('at', way)],
    })
    const result = await scene.runWell()
    expect(result.outcome).toBe('advanced')
    await scene.expectEqual()
    expect((await scene.runWell()).counts.late).toBe(0)
  })
}

caseTest('ZONE-3 wall times in UTC under a session zone of +05:00', async (way) => {
  const sourceUrl = await freshDatabase(postgresServers()[0]!, 'zone 3')
  await ask(sourceUrl, `alter database ${new URL(sourceUrl).pathname.slice(1)} set timezone = '-05:00'`)
  const scene = await Scene.open(
    way,
    `${WALL} insert into t values (1, 'a minute ago', (now() at time zone 'UTC') - interval '1 minute')`,
    { sourceUrl, settings: { position: wall('UTC') }, columns: ['id', 'v', microseconds('at', way)] },
  )
  const result = await scene.runWell()
  await scene.expectEqual()
  const now = BigInt(await clockUs(sourceUrl))
  expect(result.watermarkAfter!.value as bigint).toBeLessThanOrEqual(now)
  expect(result.watermarkAfter!.value as bigint).toBeGreaterThan(now - 30_000_000n)
})

for (const days of [1, -1]) {
  caseTest(`ZONE-4 the extractor's clock is wrong by ${days} day`, async (way) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * DAY_MS })
    const scene = await Scene.open(way, `${STAMPED} insert into t values (1, 'a')`)
    await scene.runOut()
    await scene.sql(`update t set v = 'b', at = clock_timestamp()`)
    await scene.sql(`insert into t values (2, 'future', now() + interval '2 hours')`)
    const [before, result, after] = [
      BigInt(await clockUs(scene.at.sourceUrl)),
      (await scene.runOut()).at(-1)!,
      BigInt(await clockUs(scene.at.sourceUrl)),
    ]
    const mark = result.watermarkAfter!.value as bigint
    expect(mark).toBeGreaterThan(before - 2_000_000n)
    expect(mark).toBeLessThan(after)
    expect(result.laneRows).toEqual({ future: 1 })
  })
}

caseTest('ZONE-5 the clock of the source steps back between two runs', async (way) => {
  const scene = await Scene.open(way, STAMPED)
  await scene.runWell()
  // The server's clock cannot be set here: what the source remembers of it is set ahead instead.
  const ahead = 4_000_000n
  const catalog = scene.engine.catalog
  const looks = JSON.parse((await catalog.memory('source', 'fence'))!)
  const t0 = BigInt(looks.t0) + ahead
  await catalog.remember('source', 'fence', JSON.stringify({ ...looks, t0: String(t0) }))
  await scene.restart()
  await scene.sql(`insert into t values (1, 'written at once')`)
  await pause(40)
  const before = await scene.claim()
  const held = await scene.runWell()
  expect(held.outcome).toBe('held')
  expect(held.heldBecause).toContain('stepped back')
  expect((await scene.claim())?.watermark).toEqual(before?.watermark)
  expect((await openAlarms(scene)).map((alarm) => alarm.name)).toContain('clock_stepped_back')
  await pause(20)
  const next = await scene.runWell()
  expect(next.outcome).toBe('advanced')
  expect(BigInt(next.overlap!.amount)).toBeGreaterThan((scene.way.overlap ? 0n : 300_000_000n) + ahead / 2n)
  await scene.runOut()
})
