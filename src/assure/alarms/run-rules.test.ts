import { beforeEach, describe, expect, test } from 'vitest'
import {
  AlarmStage,
  DAY,
  FAILED,
  HOUR,
  KEY,
  MINUTE,
  ORDER,
  START,
} from '../../../test/support/alarm-stage.ts'
import { DEFAULT_LIMITS } from '../../extract/settings.ts'
import { rememberPeriod } from './alarm-facts.ts'

let stage: AlarmStage
beforeEach(() => {
  stage = new AlarmStage()
})

describe('an hour of ordinary runs', () => {
  test('raises nothing, also with failures that pass, holds, and idle counters', async () => {
    for (let i = 0; i < 60; i++) {
      await stage.run({ outcome: i % 7 === 3 ? 'held' : i % 2 ? 'advanced' : 'empty' }, 2n * MINUTE)
      await stage.watch()
      stage.later(MINUTE)
    }
    expect(await stage.open()).toEqual([])
  })
})

test('run_failing: a notice, a page after three, over by a run that ends well alone', async () => {
  await stage.run()
  for (const expected of ['run_failing notice', 'run_failing notice', 'run_failing page']) {
    stage.later(MINUTE)
    await stage.run(FAILED)
    await stage.watch()
    expect(await stage.open()).toEqual([expected])
  }
  const { text, latest, count } = (await stage.alarm('run_failing'))!
  expect(text).toContain('1 run:')
  expect(latest).toMatch(/^failing since 2026-03-01 10:00:59Z, 3 runs: SOURCE_UNAVAILABLE: no route to host$/)
  expect(count).toBe(3)
  await stage.watch()
  expect((await stage.alarm('run_failing'))!.count).toBe(3)
  stage.later(MINUTE)
  await stage.run({ outcome: 'held' }, 3n * MINUTE)
  await stage.watch()
  expect(await stage.open()).toEqual(['run_failing page'])
  stage.later(MINUTE)
  await stage.run()
  await stage.watch()
  expect(await stage.open()).toEqual([])
})

test('a run that died counts as failed', async () => {
  await stage.run()
  stage.later(MINUTE)
  await stage.run({ ...FAILED, error: undefined, outcome: 'abandoned' })
  await stage.watch()
  expect(await stage.open()).toEqual(['run_failing notice'])
})

test('run_overdue: none ended within three periods; not without a period, nor while one is at work', async () => {
  await stage.run()
  stage.later(3n * MINUTE)
  await stage.watch()
  expect(await stage.open()).toEqual([])
  stage.later(1n)
  stage.limits = DEFAULT_LIMITS
  await stage.watch()
  expect(await stage.open()).toEqual([])
  stage.limits = { ...DEFAULT_LIMITS, everyMs: 60_000 }
  const lease = await stage.catalog.acquireLease(KEY, 'a', 60_000, 0)
  await stage.watch()
  expect(await stage.open()).toEqual([])
  await stage.catalog.releaseLease(lease.lease)
  await stage.watch()
  expect(await stage.open()).toEqual(['run_overdue page'])
  stage.later(HOUR)
  await stage.watch()
  expect((await stage.alarm('run_overdue'))!.count).toBe(1)
  await stage.run(FAILED)
  await stage.watch()
  expect(await stage.open()).toContain('run_overdue page')
  stage.later(1n)
  await stage.run()
  await stage.watch()
  expect(await stage.open()).toEqual([])
})

test('what follow says is a period, and stopped it is none', async () => {
  stage.limits = DEFAULT_LIMITS
  await stage.run()
  await rememberPeriod(stage.catalog, KEY, 10_000)
  stage.later(31_000_000n)
  await stage.watch()
  expect(await stage.open()).toContain('run_overdue page')
  await rememberPeriod(stage.catalog, KEY, undefined)
  stage.later(1n)
  await stage.run()
  stage.later(DAY)
  await stage.watch()
  expect(await stage.open()).toEqual([])
})

test('watermark_stalled: the claim stands for stallAfter though runs are due; over when it moves', async () => {
  await stage.run()
  const through = String(stage.nowUs)
  const standing = {
    outcome: 'held',
    watermark_before: through,
    watermark_after: through,
    complete_through: through,
  }
  for (let i = 0; i < 3; i++) {
    stage.later(MINUTE)
    await stage.run(standing)
    await stage.watch()
    expect(await stage.open()).toEqual([])
  }
  stage.later(2n)
  await stage.watch()
  expect(await stage.open()).toEqual(['watermark_stalled page'])
  stage.later(MINUTE)
  await stage.run(standing)
  await stage.watch()
  expect(await stage.open()).toEqual(['watermark_stalled page'])
  stage.later(1n)
  await stage.run()
  await stage.watch()
  expect(await stage.open()).toEqual([])
})

test('watermark_stalled: a counter without news moves on in time; a date stands for a day by right', async () => {
  for (let i = 0; i < 20; i++) {
    await stage.run({
      outcome: 'held',
      watermark_before: '5',
      watermark_after: '5',
      position_kind: 'xid8',
      order: { ...ORDER, kind: 'xid8' },
    })
    await stage.watch()
    stage.later(MINUTE)
  }
  expect(await stage.open()).toEqual([])
  stage.forgetAll()
  const order = { ...ORDER, kind: 'date', grain: String(DAY) }
  await stage.run({ order })
  const through = String(stage.nowUs)
  for (let i = 0; i < 20; i++) {
    stage.later(HOUR)
    await stage.run({
      order,
      outcome: 'held',
      watermark_before: through,
      watermark_after: through,
      complete_through: through,
    })
    await stage.watch()
  }
  expect(await stage.open()).toEqual([])
})

test('watermark_late: beyond lagMax and not catching up; over when two runs are below', async () => {
  await stage.run({}, HOUR)
  stage.later(MINUTE)
  await stage.run({}, 50n * MINUTE)
  await stage.watch()
  expect(await stage.open()).toEqual([])
  stage.later(MINUTE)
  await stage.run({}, 55n * MINUTE)
  await stage.watch()
  expect(await stage.open()).toEqual(['watermark_late page'])
  stage.later(MINUTE)
  await stage.run({}, 40n * MINUTE)
  await stage.watch()
  expect(await stage.open()).toEqual(['watermark_late page'])
  for (const expected of [['watermark_late page'], []]) {
    stage.later(MINUTE)
    await stage.run({}, MINUTE)
    await stage.watch()
    expect(await stage.open()).toEqual(expected)
  }
})

test('source_idle: off unless idleMax is said; over when something new is written', async () => {
  const newest = { newest: String(START) }
  await stage.run(newest)
  stage.later(2n * HOUR)
  await stage.run(newest)
  await stage.watch()
  expect(await stage.open()).toEqual([])
  stage.limits = { ...stage.limits, idleMaxMs: 3_600_000 }
  await stage.watch()
  expect(await stage.open()).toEqual(['source_idle notice'])
  await stage.run({ newest: String(stage.nowUs) })
  await stage.watch()
  expect(await stage.open()).toEqual([])
})
