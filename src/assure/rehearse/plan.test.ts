import { expect, test } from 'vitest'
import { makePlan, minuteShares, type PlanHead, planFromText, planToText } from './plan.ts'

const HEAD: PlanHead = {
  version: 1,
  seed: 7,
  durationMs: 600_000,
  periodMs: 200,
  rate: 100,
  actors: 6,
  rows: 2_000,
  payloadBytes: 100,
  grainUs: 1,
  mayPrepare: true,
  hasReplica: true,
  hour: [],
}

const plan = makePlan(HEAD)
const all = plan.transactions.flat()
const share = (of: (each: (typeof all)[number]) => boolean): number =>
  (1_000 * all.filter(of).length) / all.length

test('A51: one seed, one plan, byte for byte; another seed, another plan', () => {
  const text = planToText(plan)
  expect(planToText(makePlan({ ...HEAD }))).toBe(text)
  expect(planToText(makePlan({ ...HEAD, seed: 8 }))).not.toBe(text)
  expect(planToText(planFromText(text))).toBe(text)
  expect(() => planFromText('{"a":1}\n{}\n')).toThrow(SyntaxError)
})

test('A50: of a thousand transactions so many of each', () => {
  expect(all.length).toBeGreaterThan(15_000)
  expect(share(({ holdMs }) => holdMs > 0)).toBeCloseTo(300, -1)
  expect(share(({ end }) => end === 'rollback')).toBeCloseTo(50, -1)
  expect(share(({ end }) => end === 'prepare')).toBeCloseTo(10, 0)
  expect(share(({ kind }) => kind === 'backdated')).toBeCloseTo(20, 0)
  expect(share(({ kind }) => kind === 'unbumped')).toBeCloseTo(20, 0)
  expect(share(({ kind }) => kind === 'bulk')).toBeCloseTo(100, -1)
  expect(share(({ kind }) => kind === 'delete')).toBeCloseTo(20, 0)
  expect(share(({ kind }) => kind === 'key_change')).toBeCloseTo(2, 0)
  const bulk = all.filter(({ kind }) => kind === 'bulk')
  expect(bulk.every(({ ops }) => ops[0]!.keys.length === 20)).toBe(true)
})

test('A50: held for 300 ms in the mean below the tail, and the tail is Pareto’s', () => {
  const held = all.map(({ holdMs }) => holdMs).filter((ms) => ms > 0)
  const beyond = (ms: number): number => held.filter((each) => each >= ms).length / held.length
  expect(beyond(300)).toBeCloseTo(Math.exp(-1), 1)
  expect(beyond(900)).toBeCloseTo(Math.exp(-3), 1)
  expect(beyond(3_600) / beyond(900)).toBeGreaterThan(0.05) // An exponential law leaves one in 8,100; Pareto's one in 8.
})

test('the rate is one of rows, and follows the hour', () => {
  const rows = all.reduce((sum, { kind, ops }) => {
    if (kind === 'unbumped' || kind === 'delete') return sum
    return sum + ops.reduce((own, { keys }) => own + keys.length, 0)
  }, 0)
  expect(rows / 600).toBeGreaterThan(90)
  expect(rows / 600).toBeLessThan(110)
  const hour = Array.from({ length: 60 }, (_, minute) => (minute === 58 ? 1 : 0.2))
  const shaped = makePlan({ ...HEAD, hour }).transactions.flat()
  // Ten real minutes, the busiest in their middle.
  const busiest = shaped.filter(({ atMs }) => atMs >= 300_000 && atMs < 360_000).length
  const mean = (shaped.length - busiest) / 9
  expect(busiest / mean).toBeGreaterThan(4)
  expect(busiest / mean).toBeLessThan(6)
})

test('a minute of rehearsal is the busiest minute; two hours are its hour twice', () => {
  const hour = Array.from({ length: 60 }, (_, minute) => (minute === 7 ? 1 : 0.1))
  expect(minuteShares({ hour, durationMs: 60_000 })).toEqual([1])
  expect(minuteShares({ hour, durationMs: 10_000 })).toEqual([1])
  const long = minuteShares({ hour, durationMs: 7_200_000 })
  expect(long.filter((share) => share === 1)).toHaveLength(2)
})

test('A50: killed every 40 s, idle for 30 s every 5 min, replay held every 10 min where there is a replica', () => {
  expect(plan.kills).toHaveLength(15)
  expect(plan.idleAtMs).toEqual([150_000, 450_000])
  expect(plan.replayPauseAtMs).toEqual([300_000])
  expect(makePlan({ ...HEAD, hasReplica: false }).replayPauseAtMs).toEqual([])
})

test('every actor has choices of its own', () => {
  const [ours, others] = [plan.transactions[0]!, plan.transactions[1]!]
  expect(JSON.stringify(ours.slice(0, 20))).not.toBe(JSON.stringify(others.slice(0, 20)))
})
