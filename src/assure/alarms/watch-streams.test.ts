import { beforeEach, describe, expect, test } from 'vitest'
import type { Alarm } from '../../catalog/catalog.ts'
import { DEFAULT_LIMITS, type Limits } from '../../extract/settings.ts'
import { createMemoryCatalog } from '../../testing/simulator/memory-catalog.ts'
import { createMemoryStore } from '../../testing/simulator/memory-store.ts'
import { rememberPeriod } from './alarm-facts.ts'
import { groupAlarms } from './group-alarms.ts'
import { watchStreams } from './watch-streams.ts'

const KEY = 'shop/public.orders'
const MINUTE = 60_000_000n
const HOUR = 60n * MINUTE
const DAY = 24n * HOUR
const START = 1_772_359_200_000_000n
const ORDER = { column: 'at', kind: 'timestamptz', grain: '1', stampedBy: 'database' }

let nowUs: bigint
let store: ReturnType<typeof createMemoryStore>
let limits: Limits
let sequence: number

const catalog = () =>
  createMemoryCatalog({ store, nowUs: () => nowUs, host: 'here', pid: 1, isDead: () => false })
const watch = (stream = 'public.orders') =>
  watchStreams(catalog(), [{ stream, catalogKey: `shop/${stream}`, limits }])

beforeEach(async () => {
  nowUs = START
  store = createMemoryStore()
  limits = { ...DEFAULT_LIMITS, everyMs: 60_000 }
  sequence = 0
})

/** A run that ended now, complete through `lagUs` before now. */
async function run(changes: Readonly<Record<string, unknown>> = {}, lagUs = 0n, key = KEY): Promise<void> {
  sequence++
  const through = String(nowUs - lagUs)
  await catalog().appendRecord(key, {
    kind: 'run',
    run_id: `r${sequence}`,
    outcome: 'advanced',
    generation: 1,
    position_kind: 'timestamptz',
    order: ORDER,
    opened_us: String(nowUs - 1_000_000n),
    closed_us: String(nowUs),
    watermark_before: '0',
    watermark_after: through,
    complete_through: through,
    fence: { t0: String(nowUs), clockStepUs: '0' },
    lanes: {},
    ...changes,
  })
}

const FAILED = {
  outcome: 'failed',
  watermark_before: null,
  watermark_after: null,
  complete_through: null,
  fence: null,
  error: { code: 'SOURCE_UNAVAILABLE', message: 'no route to host' },
}
const failed = (code: string) => ({ ...FAILED, error: { code, message: 'x' } })

async function open(): Promise<string[]> {
  return (await catalog().alarms(true)).map(({ name, level }) => `${name} ${level}`)
}
const alarm = async (name: string): Promise<Alarm | undefined> =>
  (await catalog().alarms(true)).find((each) => each.name === name)
const later = (us: bigint): void => {
  nowUs += us
}

describe('an hour of ordinary runs', () => {
  test('raises nothing, also with failures that pass, holds, and idle counters', async () => {
    for (let i = 0; i < 60; i++) {
      await run({ outcome: i % 7 === 3 ? 'held' : i % 2 ? 'advanced' : 'empty' }, 2n * MINUTE)
      await watch()
      later(MINUTE)
    }
    expect(await open()).toEqual([])
  })
})

test('run_failing: a notice, a page after three, over by a run that ends well alone', async () => {
  await run()
  for (const expected of ['run_failing notice', 'run_failing notice', 'run_failing page']) {
    later(MINUTE)
    await run(FAILED)
    await watch()
    expect(await open()).toEqual([expected])
  }
  const { text, latest, count } = (await alarm('run_failing'))!
  expect(text).toContain('1 run:')
  expect(latest).toMatch(/^failing since 2026-03-01 10:00:59Z, 3 runs: SOURCE_UNAVAILABLE: no route to host$/)
  expect(count).toBe(3)
  await watch()
  expect((await alarm('run_failing'))!.count).toBe(3)
  later(MINUTE)
  await run({ outcome: 'held' }, 3n * MINUTE)
  await watch()
  expect(await open()).toEqual(['run_failing page'])
  later(MINUTE)
  await run()
  await watch()
  expect(await open()).toEqual([])
})

test('a run that died counts as failed', async () => {
  await run()
  later(MINUTE)
  await run({ ...FAILED, error: undefined, outcome: 'abandoned' })
  await watch()
  expect(await open()).toEqual(['run_failing notice'])
})

test('run_overdue: none ended within three periods; not without a period, nor while one is at work', async () => {
  await run()
  later(3n * MINUTE)
  await watch()
  expect(await open()).toEqual([])
  later(1n)
  limits = DEFAULT_LIMITS
  await watch()
  expect(await open()).toEqual([])
  limits = { ...DEFAULT_LIMITS, everyMs: 60_000 }
  const lease = await catalog().acquireLease(KEY, 'a', 60_000, 0)
  await watch()
  expect(await open()).toEqual([])
  await catalog().releaseLease(lease.lease)
  await watch()
  expect(await open()).toEqual(['run_overdue page'])
  later(HOUR)
  await watch()
  expect((await alarm('run_overdue'))!.count).toBe(1)
  await run(FAILED)
  await watch()
  expect(await open()).toContain('run_overdue page')
  later(1n)
  await run()
  await watch()
  expect(await open()).toEqual([])
})

test('what follow says is a period, and stopped it is none', async () => {
  limits = DEFAULT_LIMITS
  await run()
  await rememberPeriod(catalog(), KEY, 10_000)
  later(31_000_000n)
  await watch()
  expect(await open()).toContain('run_overdue page')
  await rememberPeriod(catalog(), KEY, undefined)
  later(1n)
  await run()
  later(DAY)
  await watch()
  expect(await open()).toEqual([])
})

test('watermark_stalled: the claim stands for stallAfter though runs are due; over when it moves', async () => {
  await run()
  const through = String(nowUs)
  const standing = {
    outcome: 'held',
    watermark_before: through,
    watermark_after: through,
    complete_through: through,
  }
  for (let i = 0; i < 3; i++) {
    later(MINUTE)
    await run(standing)
    await watch()
    expect(await open()).toEqual([])
  }
  later(2n)
  await watch()
  expect(await open()).toEqual(['watermark_stalled page'])
  later(MINUTE)
  await run(standing)
  await watch()
  expect(await open()).toEqual(['watermark_stalled page'])
  later(1n)
  await run()
  await watch()
  expect(await open()).toEqual([])
})

test('watermark_stalled: a counter without news moves on in time; a date stands for a day by right', async () => {
  for (let i = 0; i < 20; i++) {
    await run({
      outcome: 'held',
      watermark_before: '5',
      watermark_after: '5',
      position_kind: 'xid8',
      order: { ...ORDER, kind: 'xid8' },
    })
    await watch()
    later(MINUTE)
  }
  expect(await open()).toEqual([])
  store = createMemoryStore()
  const order = { ...ORDER, kind: 'date', grain: String(DAY) }
  await run({ order })
  const through = String(nowUs)
  for (let i = 0; i < 20; i++) {
    later(HOUR)
    await run({
      order,
      outcome: 'held',
      watermark_before: through,
      watermark_after: through,
      complete_through: through,
    })
    await watch()
  }
  expect(await open()).toEqual([])
})

test('watermark_late: beyond lagMax and not catching up; over when two runs are below', async () => {
  await run({}, HOUR)
  later(MINUTE)
  await run({}, 50n * MINUTE)
  await watch()
  expect(await open()).toEqual([])
  later(MINUTE)
  await run({}, 55n * MINUTE)
  await watch()
  expect(await open()).toEqual(['watermark_late page'])
  later(MINUTE)
  await run({}, 40n * MINUTE)
  await watch()
  expect(await open()).toEqual(['watermark_late page'])
  for (const expected of [['watermark_late page'], []]) {
    later(MINUTE)
    await run({}, MINUTE)
    await watch()
    expect(await open()).toEqual(expected)
  }
})

test('source_idle: off unless idleMax is said; over when something new is written', async () => {
  const newest = { newest: String(START) }
  await run(newest)
  later(2n * HOUR)
  await run(newest)
  await watch()
  expect(await open()).toEqual([])
  limits = { ...limits, idleMaxMs: 3_600_000 }
  await watch()
  expect(await open()).toEqual(['source_idle notice'])
  await run({ newest: String(nowUs) })
  await watch()
  expect(await open()).toEqual([])
})

test.each([
  ['SOURCE_CHANGED', 'source_changed'],
  ['SOURCE_WENT_BACK', 'source_went_back'],
  ['DESTINATION_WENT_BACK', 'destination_went_back'],
  ['SCHEMA_CHANGED', 'schema_changed'],
  ['POSITION_TYPE_CHANGED', 'schema_changed'],
])('%s is the page %s until a run ends well', async (code, name) => {
  await run()
  later(MINUTE)
  await run(failed(code))
  await watch()
  expect(await open()).toEqual(['run_failing notice', `${name} page`])
  later(MINUTE)
  await run(failed('SOURCE_UNAVAILABLE'))
  await watch()
  expect(await open()).toContain(`${name} page`)
  later(MINUTE)
  await run({ generation: 2 })
  await watch()
  expect(await open()).toEqual([])
})

/** Raises it as a run would, and looks whether it stays until its own event. */
async function staysUntil(name: string, evidence: string, event: () => Promise<void>): Promise<void> {
  await run()
  await catalog().raiseAlarm(KEY, name, 'text', evidence)
  for (let i = 0; i < 3; i++) {
    later(MINUTE)
    await run({ fence: { t0: String(nowUs), clockStepUs: '5' }, lanes: { null: { rowsRead: '10000' } } })
    await watch()
  }
  expect((await open()).map((each) => each.split(' ')[0])).toEqual([name])
  later(MINUTE)
  await event()
  await watch()
  expect(await open()).toEqual([])
}

const check = (changes: Readonly<Record<string, unknown>> = {}) =>
  catalog().appendRecord(KEY, {
    kind: 'audit',
    opened_us: String(nowUs),
    closed_us: String(nowUs),
    counts: { equal: '5', findings: '0' },
    from: null,
    ...changes,
  })

test.each(['grain_changed', 'timeline_changed'])('%s: until the next clean audit', async (name) => {
  await staysUntil(name, '', async () => void (await check()))
  await staysUntil(name, '', async () => void (await check({ kind: 'reconcile' })))
})

test('an audit that found something, or began before, is not clean for it', async () => {
  await run()
  const before = nowUs
  later(MINUTE)
  await catalog().raiseAlarm(KEY, 'grain_changed', 'text', '')
  later(MINUTE)
  await check({ opened_us: String(before) })
  await check({ counts: { findings: '1' } })
  await watch()
  expect(await open()).toContain('grain_changed notice')
})

test('decree_billed: until an audit from the bill on is clean', async () => {
  const evidence = JSON.stringify({ key: 'pid 7', lower: '1000' })
  await staysUntil('decree_billed', evidence, async () => void (await check({ from: '1000' })))
  await run()
  await catalog().raiseAlarm(KEY, 'decree_billed', 'text', evidence)
  later(MINUTE)
  await check({ from: '1001' })
  await watch()
  expect(await open()).toEqual(['decree_billed page'])
})

test('column_added: until everything below the watermark of then was read again', async () => {
  const backfill = (lower: string | null, upper: string) =>
    catalog().appendRecord(KEY, {
      kind: 'backfill',
      position_kind: 'timestamptz',
      opened_us: String(nowUs),
      closed_us: String(nowUs),
      slices: [{ lower, upper, receipt: { rowsRead: '1' } }],
    })
  await staysUntil('column_added', '500', async () => {
    await backfill('0', '600')
    await backfill(null, '499')
    await watch()
    expect(await open()).toEqual(['column_added notice'])
    later(1n)
    await backfill(null, '500')
  })
})

test('clock_stepped_back: until a run with a normal step', async () => {
  await staysUntil('clock_stepped_back', '', () => run())
})

test('lane_growing: until its lane is empty, or a larger laneMaxRows accepts it', async () => {
  const evidence = JSON.stringify({ lane: 'null', limit: 10_000 })
  await staysUntil('lane_growing', evidence, () => run({ lanes: { infinity: { rowsRead: '3' } } }))
  await staysUntil('lane_growing', evidence, async () => {
    limits = { ...limits, laneMaxRows: 50_000 }
    await run({ lanes: { null: { rowsRead: '20000' } } })
  })
})

test('chain_broken: until a person opens a new generation', async () => {
  await staysUntil('chain_broken', '3', async () => {
    await catalog().appendRecord(KEY, {
      kind: 'rewind',
      generation: 2,
      opened_us: String(nowUs),
      closed_us: String(nowUs),
    })
  })
})

const memory = (parts: Readonly<Record<string, unknown>>) =>
  catalog().remember(
    KEY,
    'stream',
    JSON.stringify({
      generation: 1,
      watermark: null,
      coverage: [],
      debts: [],
      contradicted: false,
      ...parts,
    }),
  )
const at = (value: number) => ({ kind: 'timestamptz', value: String(value) })

test('range_hole: a page while a hole is below, over when it is filled', async () => {
  await run()
  const landed = { state: 'landed', proof: 'proven' }
  const hole = { lower: at(5), upper: at(9), state: 'hole', proof: 'assumed' }
  await memory({ coverage: [{ lower: null, upper: at(5), ...landed }, hole] })
  await watch()
  expect(await open()).toEqual(['range_hole page'])
  await memory({ coverage: [{ lower: null, upper: at(9), ...landed }] })
  await watch()
  expect(await open()).toEqual([])
})

test('fence_decreed and proof_contradicted: while the catalog remembers the debt, the doubt', async () => {
  await run()
  await memory({ debts: [{ key: 'pid 7', bound: at(3), since: '1' }], contradicted: true })
  await catalog().raiseAlarm(KEY, 'fence_decreed', 'text', '')
  await catalog().raiseAlarm(KEY, 'proof_contradicted', 'text', '')
  await watch()
  expect(await open()).toEqual(['fence_decreed page', 'proof_contradicted page'])
  await memory({})
  await watch()
  expect(await open()).toEqual([])
})

test('audit_overdue: nothing completed within twice auditEvery; one that completes ends it', async () => {
  limits = { ...limits, auditEveryMs: 86_400_000 }
  await run()
  for (let i = 0; i < 2; i++) {
    later(DAY)
    await run()
    await watch()
    expect(await open()).toEqual([])
  }
  limits = { ...limits, auditEveryMs: 3_600_000 }
  await check()
  later(2n * HOUR + 1n)
  await run()
  await watch()
  expect(await open()).toEqual(['audit_overdue page'])
  later(MINUTE)
  await check({ counts: { findings: '9' } })
  await watch()
  expect(await open()).toEqual([])
})

test('streams of one broken source come as one page; other causes stand apart', async () => {
  for (const name of ['a', 'b', 'c']) {
    for (let i = 0; i < 3; i++) await run(name === 'c' ? failed('KEY_NULL') : FAILED, 0n, `shop/${name}`)
    await watch(name)
  }
  await catalog().raiseAlarm('other/a', 'run_failing', 'x', 'SOURCE_UNAVAILABLE', 'notice')
  const groups = groupAlarms(await catalog().alarms(true))
  expect(groups.map(({ level, pipeline, streams }) => [level, pipeline, streams.join(' ')])).toEqual([
    ['page', 'shop', 'a b'],
    ['page', 'shop', 'c'],
    ['notice', 'other', 'a'],
  ])
})
