import { beforeEach, expect, test } from 'vitest'
import { AlarmStage, DAY, FAILED, HOUR, KEY, MINUTE } from '../../../test/support/alarm-stage.ts'

const failing = (code: string) => ({ ...FAILED, error: { code, message: 'x' } })

let stage: AlarmStage
beforeEach(() => {
  stage = new AlarmStage()
})

test.each([
  ['SOURCE_CHANGED', 'source_changed'],
  ['SOURCE_WENT_BACK', 'source_went_back'],
  ['DESTINATION_WENT_BACK', 'destination_went_back'],
  ['SCHEMA_CHANGED', 'schema_changed'],
  ['POSITION_TYPE_CHANGED', 'schema_changed'],
])('%s is the page %s until a run ends well', async (code, name) => {
  await stage.run()
  stage.later(MINUTE)
  await stage.run(failing(code))
  await stage.watch()
  expect(await stage.open()).toEqual(['run_failing notice', `${name} page`])
  stage.later(MINUTE)
  await stage.run(failing('SOURCE_UNAVAILABLE'))
  await stage.watch()
  expect(await stage.open()).toContain(`${name} page`)
  stage.later(MINUTE)
  await stage.run({ generation: 2 })
  await stage.watch()
  expect(await stage.open()).toEqual([])
})

/** Raises it as a run would, and looks whether it stays until its own event. */
async function staysUntil(name: string, evidence: string, event: () => Promise<void>): Promise<void> {
  await stage.run()
  await stage.catalog.raiseAlarm(KEY, name, 'text', evidence)
  for (let i = 0; i < 3; i++) {
    stage.later(MINUTE)
    await stage.run({
      fence: { t0: String(stage.nowUs), clockStepUs: '5' },
      lanes: { null: { rowsRead: '10000' } },
    })
    await stage.watch()
  }
  expect((await stage.open()).map((each) => each.split(' ')[0])).toEqual([name])
  stage.later(MINUTE)
  await event()
  await stage.watch()
  expect(await stage.open()).toEqual([])
}

test.each(['grain_changed', 'timeline_changed'])('%s: until the next clean audit', async (name) => {
  await staysUntil(name, '', async () => void (await stage.check()))
  await staysUntil(name, '', async () => void (await stage.check({ kind: 'reconcile' })))
})

test('an audit that found something, or began before, is not clean for it', async () => {
  await stage.run()
  const before = stage.nowUs
  stage.later(MINUTE)
  await stage.catalog.raiseAlarm(KEY, 'grain_changed', 'text', '')
  stage.later(MINUTE)
  await stage.check({ opened_us: String(before) })
  await stage.check({ counts: { findings: '1' } })
  await stage.watch()
  expect(await stage.open()).toContain('grain_changed notice')
})

test('decree_billed: until an audit from the bill on is clean', async () => {
  const evidence = JSON.stringify({ key: 'pid 7', lower: '1000' })
  await staysUntil('decree_billed', evidence, async () => void (await stage.check({ from: '1000' })))
  await stage.run()
  await stage.catalog.raiseAlarm(KEY, 'decree_billed', 'text', evidence)
  stage.later(MINUTE)
  await stage.check({ from: '1001' })
  await stage.watch()
  expect(await stage.open()).toEqual(['decree_billed page'])
})

test('column_added: until everything below the watermark of then was read again', async () => {
  const backfill = (lower: string | null, upper: string) =>
    stage.catalog.appendRecord(KEY, {
      kind: 'backfill',
      position_kind: 'timestamptz',
      opened_us: String(stage.nowUs),
      closed_us: String(stage.nowUs),
      slices: [{ lower, upper, receipt: { rowsRead: '1' } }],
    })
  await staysUntil('column_added', '500', async () => {
    await backfill('0', '600')
    await backfill(null, '499')
    await stage.watch()
    expect(await stage.open()).toEqual(['column_added notice'])
    stage.later(1n)
    await backfill(null, '500')
  })
})

test('clock_stepped_back: until a run with a normal step', async () => {
  await staysUntil('clock_stepped_back', '', () => stage.run())
})

test('lane_growing: until its lane is empty, or a larger laneMaxRows accepts it', async () => {
  const evidence = JSON.stringify({ lane: 'null', limit: 10_000 })
  await staysUntil('lane_growing', evidence, () => stage.run({ lanes: { infinity: { rowsRead: '3' } } }))
  await staysUntil('lane_growing', evidence, async () => {
    stage.limits = { ...stage.limits, laneMaxRows: 50_000 }
    await stage.run({ lanes: { null: { rowsRead: '20000' } } })
  })
})

test('chain_broken: until a person opens a new generation', async () => {
  await staysUntil('chain_broken', '3', async () => {
    await stage.catalog.appendRecord(KEY, {
      kind: 'rewind',
      generation: 2,
      opened_us: String(stage.nowUs),
      closed_us: String(stage.nowUs),
    })
  })
})

const memory = (parts: Readonly<Record<string, unknown>>) =>
  stage.catalog.remember(
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
  await stage.run()
  const landed = { state: 'landed', proof: 'proven' }
  const hole = { lower: at(5), upper: at(9), state: 'hole', proof: 'assumed' }
  await memory({ coverage: [{ lower: null, upper: at(5), ...landed }, hole] })
  await stage.watch()
  expect(await stage.open()).toEqual(['range_hole page'])
  await memory({ coverage: [{ lower: null, upper: at(9), ...landed }] })
  await stage.watch()
  expect(await stage.open()).toEqual([])
})

test('fence_decreed and proof_contradicted: while the catalog remembers the debt, the doubt', async () => {
  await stage.run()
  await memory({ debts: [{ key: 'pid 7', bound: at(3), since: '1' }], contradicted: true })
  await stage.catalog.raiseAlarm(KEY, 'fence_decreed', 'text', '')
  await stage.catalog.raiseAlarm(KEY, 'proof_contradicted', 'text', '')
  await stage.watch()
  expect(await stage.open()).toEqual(['fence_decreed page', 'proof_contradicted page'])
  await memory({})
  await stage.watch()
  expect(await stage.open()).toEqual([])
})

test('audit_overdue: nothing completed within twice auditEvery; one that completes ends it', async () => {
  stage.limits = { ...stage.limits, auditEveryMs: 86_400_000 }
  await stage.run()
  for (let i = 0; i < 2; i++) {
    stage.later(DAY)
    await stage.run()
    await stage.watch()
    expect(await stage.open()).toEqual([])
  }
  stage.limits = { ...stage.limits, auditEveryMs: 3_600_000 }
  await stage.check()
  stage.later(2n * HOUR + 1n)
  await stage.run()
  await stage.watch()
  expect(await stage.open()).toEqual(['audit_overdue page'])
  stage.later(MINUTE)
  await stage.check({ counts: { findings: '9' } })
  await stage.watch()
  expect(await stage.open()).toEqual([])
})
