import { describe, expect, test } from 'vitest'
import { exponentialLaw } from '../../kernel/forecast/families.ts'
import { tieCensus } from '../../kernel/forecast/ties.ts'
import type { ReviewFacts } from './facts.ts'
import { answerQuestion } from './question.ts'
import { multipliersOf, reviewStream } from './review.ts'
import type { ReviewRow } from './row.ts'

const DAY = 86_400
const CALM: ReviewFacts = {
  stream: 'public.orders',
  load: { rate: 3.4, mean: 0.0761, when: '2026-03-01 12:04Z', from: 'source' },
  grain: 1,
  ties: tieCensus([5, 5, 4, 3, 1, 1, 1]),
  reader: 'ranges',
  pageRows: 10_000,
  period: 60,
  overlap: 300,
  settle: 0,
  proof: 'proven',
  lateness: undefined,
  lossRows: 0.001,
  duration: { d0: 2, d1: 20e-6, d2: 0 },
  targetRows: 1e6,
  growth: 0.05,
  memory: { rowBytes: 200, rowsInFlight: 40_000, limitBytes: 2e9 },
  connections: { ours: 5, allowed: 97, used: 20 },
  hold: { longestSeconds: 4, alarmSeconds: 300 },
  checks: [{ kind: 'audit', seconds: 20, rows: 1e6, windowSeconds: DAY }],
  retention: { reachSeconds: 900 * DAY, watchedSeconds: 30 * DAY, movedSeconds: 0, neededSeconds: 9 * DAY },
}
const rowOf = (name: string, facts: Partial<ReviewFacts> = {}, multiplier = 10): ReviewRow =>
  reviewStream({ ...CALM, ...facts }, multiplier).rows.find((row) => row.name === name)!
const verdict = (name: string, facts: Partial<ReviewFacts> = {}) => rowOf(name, facts).verdict

describe('a calm history', () => {
  test('every row is ok', () => {
    const review = reviewStream(CALM, 10)
    expect(review.rows.map(({ verdict: each }) => each)).toEqual(review.rows.map(() => 'ok'))
    expect(review.rows).toHaveLength(12)
    expect(review.breaking).toEqual([])
    expect(review.head).toBe(
      'busiest minute 2026-03-01 12:04Z: 3.4 rows a second, 44.7 times the mean of 35 days; 10 times it is 34',
    )
  })

  test('shown are 1, 8 and the multiplier', () => {
    expect(multipliersOf(10)).toEqual([1, 8, 10])
    expect(multipliersOf(4)).toEqual([1, 4])
    expect(multipliersOf(8)).toEqual([1, 8])
    expect(rowOf('ties').figures.map(({ multiplier }) => multiplier)).toEqual([1, 8, 10])
  })
})

test('3.4 a second, hourly, strict >, no pages, no lateness: 0.98 rows a run and 23.6 a day at most, and no more (L37)', () => {
  const foreign: Partial<ReviewFacts> = {
    reader: 'gt',
    period: 3600,
    overlap: 0,
    pageRows: undefined,
    ties: undefined,
    proof: 'assumed',
    duration: undefined,
  }
  const { rows } = reviewStream({ ...CALM, ...foreign }, 10)
  const at1 = (name: string) => rows.find((row) => row.name === name)!.figures[0]!
  expect(at1('ties').text).toContain('would lose 0.984 a run, 23.6 a day at most')
  expect(at1('ties').value!.toFixed(2)).toBe('0.98')
  expect(at1('page boundaries')).toMatchObject({ value: 0, text: 'no pages, so no boundary inside a tie' })
  expect(rows.find(({ name }) => name === 'late commits')!.verdict).toBe('unknown')
  expect(
    rows
      .filter(({ name }) => ['page boundaries', 'late commits'].includes(name))
      .every(({ figures }) => !figures[0]!.value),
  ).toBe(true)
})

test('figures are those of the forecast', () => {
  const ties = rowOf('ties')
  expect(ties.figures.map(({ value }) => value!.toPrecision(6))).toEqual(['0.984302', '12.6368', '16.0294'])
  expect(ties.exponent).toBeCloseTo(Math.log(16.0294 / 0.984302) / Math.log(10), 5)
  expect(rowOf('page boundaries').figures[0]!.value).toBeCloseTo(1.45, 9)
  const duration = rowOf('run duration')
  expect(duration.figures[0]!.value!.toPrecision(6)).toBe('2.02448')
  expect(duration.figures[2]!.value!.toPrecision(5)).toBe('2.2448')
  const lateness = { law: exponentialLaw(30), rate: 3.4, sampleCount: 5_000, exponent: 0 }
  const late = rowOf('late commits', { proof: 'assumed', lateness, overlap: 60 })
  expect(late.figures[0]!.value!.toPrecision(6)).toBe('11.9360')
  const mark = rowOf('late commits', { proof: 'assumed', lateness, overlap: 60, reader: 'gt' })
  expect(mark.figures[0]!.value!.toPrecision(6)).toBe('10.5316')
})

describe('each verdict has a history (A46)', () => {
  const long = exponentialLaw(30)
  const lateness = { law: long, rate: 3.4, sampleCount: 5_000, exponent: 0.5 }
  test.each<[string, string, Partial<ReviewFacts>]>([
    ['ties', 'breaks', { reader: 'gt' }],
    ['ties', 'watch', { reader: 'gt', load: { ...CALM.load!, rate: 0.025 }, period: 3600 }],
    ['ties', 'unknown', { load: undefined }],
    ['ties', 'unknown', { grain: undefined }],
    ['page boundaries', 'breaks', { ties: tieCensus([20_000]) }],
    ['page boundaries', 'watch', { ties: tieCensus([2_000]) }],
    ['page boundaries', 'breaks', { reader: 'gt' }],
    ['page boundaries', 'unknown', { ties: undefined, load: undefined }],
    ['late commits', 'breaks', { proof: 'measured', lateness, overlap: 60 }],
    ['late commits', 'ok', { proof: 'measured', lateness: { ...lateness, law: exponentialLaw(0.1) } }],
    ['late commits', 'unknown', { proof: 'measured' }],
    ['overlap cost', 'breaks', { duration: { d0: 40, d1: 0, d2: 0 } }],
    ['overlap cost', 'watch', { duration: undefined }],
    ['overlap cost', 'unknown', { overlap: undefined }],
    ['run duration', 'breaks', { duration: { d0: 1, d1: 0.005, d2: 0 } }],
    ['run duration', 'watch', { duration: { d0: 50, d1: 0, d2: 0 } }],
    ['run duration', 'unknown', { duration: undefined }],
    ['catching up after 1 h', 'breaks', { duration: { d0: 59, d1: 0, d2: 0 } }],
    ['catching up after 1 h', 'watch', { duration: { d0: 50, d1: 0, d2: 0 } }],
    ['memory', 'breaks', { memory: { rowBytes: 1e5, rowsInFlight: 40_000, limitBytes: 4e9 } }],
    ['memory', 'watch', { memory: { rowBytes: 3e4, rowsInFlight: 40_000, limitBytes: 4e9 } }],
    ['memory', 'unbounded', { pageRows: undefined }],
    ['memory', 'unknown', { memory: undefined }],
    ['connections', 'breaks', { connections: { ours: 5, allowed: 97, used: 90 } }],
    ['connections', 'watch', { connections: { ours: 5, allowed: 97, used: 77 } }],
    ['connections', 'unknown', { connections: undefined }],
    ['destination merge', 'breaks', { duration: { d0: 1, d1: 0, d2: 5e-6 }, growth: 1 }],
    ['destination merge', 'unknown', { growth: undefined }],
    ['fence hold', 'breaks', { hold: { longestSeconds: 400, alarmSeconds: 300 } }],
    ['fence hold', 'watch', { hold: { longestSeconds: 200, alarmSeconds: 300 } }],
    ['fence hold', 'breaks', { hold: { longestSeconds: 120, alarmSeconds: 300 }, lateness }],
    ['fence hold', 'unknown', { hold: undefined }],
    ['check cost', 'breaks', { growth: 30 }],
    ['check cost', 'unknown', { checks: [] }],
    [
      'retention',
      'breaks',
      { retention: { ...CALM.retention!, reachSeconds: 35 * DAY, movedSeconds: 30 * DAY } },
    ],
    [
      'retention',
      'watch',
      { retention: { ...CALM.retention!, reachSeconds: 120 * DAY, movedSeconds: 30 * DAY } },
    ],
    ['retention', 'unknown', { retention: { ...CALM.retention!, watchedSeconds: 60 } }],
    ['retention', 'unknown', { retention: undefined }],
  ])('%s: %s', (name, expected, facts) => {
    expect(verdict(name, facts)).toBe(expected)
    const row = rowOf(name, facts)
    if (expected !== 'ok') expect(row.remedy).not.toBe('')
    if (expected !== 'ok') expect(row.because).not.toBe('')
  })

  test('what breaks and what has no bound is counted', () => {
    const { breaking } = reviewStream({ ...CALM, pageRows: undefined, growth: 30 }, 10)
    expect(breaking).toEqual(['memory', 'check cost'])
  })

  test('lateness of another load is scaled, or said to be unmeasured (L19)', () => {
    const flat = rowOf('late commits', { proof: 'assumed', lateness: { ...lateness, exponent: undefined } })
    expect(flat.figures[2]!.text).toContain('lateness at this load has never been measured')
    expect(flat.figures[0]!.text).not.toContain('never')
    const scaled = rowOf('late commits', { proof: 'assumed', lateness })
    expect(scaled.figures[2]!.value!).toBeGreaterThan(flat.figures[2]!.value! * 10)
  })
})

describe('the question (A47)', () => {
  const ran = {
    nowUs: 100n,
    auditUs: 90n,
    contentUs: undefined,
    reconcileUs: undefined,
    runUs: 99n,
    hasKey: true,
    retentionKnown: true,
  }
  test('reconcile never run: deletes and unbumped changes say so', () => {
    const answers = answerQuestion(ran)
    const nothing = answers.filter(({ check }) => check === undefined).map(({ rows }) => rows)
    expect(nothing).toEqual([
      'deleted at the source, still at the destination',
      'changed without a new position',
    ])
  })

  test('every check that ran says when', () => {
    const answers = answerQuestion({ ...ran, reconcileUs: 70n, contentUs: 80n })
    expect(answers.map(({ lastUs }) => lastUs)).toEqual([90n, 99n, 99n, 70n, 80n, 100n])
    expect(
      answerQuestion({ ...ran, hasKey: false, runUs: undefined, auditUs: undefined }).filter(
        ({ check }) => check,
      ),
    ).toHaveLength(1)
  })
})
