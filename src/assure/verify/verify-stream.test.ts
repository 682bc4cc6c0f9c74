import { describe, expect, test } from 'vitest'
import type { StoredRecord } from '../../catalog/catalog.ts'
import { sealRecord } from '../../catalog/record-chain.ts'
import { openVerifier } from './verify-stream.ts'

const STREAM = 'shop/orders'
type Fields = Readonly<Record<string, unknown>>

const ORDER = { column: 'id', kind: 'integer', flavour: 'sequence', grain: '1', stampedBy: 'database' }

/** A run over [lower, upper) of a counter with an overlap of 10. */
function run(before: number | null, upper: number, changes: Fields = {}): Fields {
  const lower = before === null ? null : String(before - 10)
  return {
    kind: before === null ? 'first_load' : 'run',
    outcome: 'advanced',
    generation: 1,
    position_kind: 'integer',
    order: ORDER,
    overlap: { amount: '10', origin: 'default' },
    lower,
    upper: String(upper),
    reckoned_from: before === null ? null : String(before),
    watermark_before: before === null ? null : String(before),
    watermark_after: String(upper),
    row_count: 3,
    landed_count: 3,
    counts: { rows_read: 3, inserted: 2, updated: 1, unchanged: 0 },
    slices: [slice(lower, upper)],
    adopted: [],
    holes: [],
    open_decrees: [],
    ...changes,
  }
}

function slice(lower: string | null, upper: number, changes: Fields = {}): Fields {
  const receipt = {
    batchId: 'b',
    generation: 1,
    rowsRead: 3,
    inserted: 2,
    updated: 1,
    unchanged: 0,
    claimBefore: null,
    claimAfter: { kind: 'integer', value: String(upper) },
    ...changes,
  }
  return { lower, upper: String(upper), receipt }
}

const FIRST = run(null, 100)
const SECOND = run(100, 200)
const idle = (before: number, changes: Fields = {}): Fields =>
  run(before, before, {
    outcome: 'held',
    lower: null,
    upper: null,
    slices: [],
    row_count: 0,
    landed_count: 0,
    counts: {},
    ...changes,
  })

function fault(...records: readonly Fields[]): [number, string] | undefined {
  const sealed: StoredRecord[] = []
  for (const [i, record] of records.entries())
    sealed.push(sealRecord(`r${i + 1}`, STREAM, { run_id: `r${i + 1}`, ...record }, sealed.at(-1)))
  const verifier = openVerifier(STREAM, { sinceUs: undefined, head: undefined })
  verifier.take(sealed)
  const found = verifier.end().fault
  return found && [found.sequence, found.what]
}

test('ranges that follow each other, an idle run and an audit between them hold', () => {
  expect(
    fault(FIRST, SECOND, { kind: 'audit', counts: { equal: '5' } }, idle(200), run(200, 201)),
  ).toBeUndefined()
})

describe('ranges', () => {
  test.each<[string, readonly Fields[], RegExp]>([
    [
      'a lower bound that is not the watermark minus the overlap (E13)',
      [FIRST, run(100, 200, { lower: '95' })],
      /^begins at 95; 100 minus the overlap 10 is 90$/,
    ],
    [
      'no lower bound in the middle',
      [FIRST, run(100, 200, { lower: null, slices: [slice(null, 200)] })],
      /has no lower bound/,
    ],
    [
      'reckoned from where no watermark stood',
      [FIRST, run(100, 200, { reckoned_from: '50', lower: '40' })],
      /reckons from 50, where no watermark ever stood/,
    ],
    [
      'a gap between two runs (E14)',
      [FIRST, run(150, 200)],
      /the records before it end at 100.* hole without a name/,
    ],
    [
      'a gap between two slices',
      [FIRST, run(100, 200, { slices: [slice('90', 130), slice('140', 200)] })],
      /reach 130: what lies between is a hole without a name/,
    ],
    ['a watermark that fell (E12)', [FIRST, run(90, 200)], /the watermark fell/],
    ['a watermark taken back', [FIRST, idle(100, { watermark_after: '90' })], /takes the watermark back/],
    [
      'a claim above what was landed',
      [FIRST, run(100, 200, { watermark_after: '300' })],
      /claims 300; .* reach 200/,
    ],
    [
      'a generation that falls',
      [{ ...FIRST, generation: 2, slices: [slice(null, 100, { generation: 2 })] }, SECOND],
      /is of generation 1, after one of 2/,
    ],
    [
      'a generation that begins in the middle',
      [FIRST, run(100, 200, { generation: 2, slices: [slice('90', 200, { generation: 2 })] })],
      /the records before it end at -∞/,
    ],
    [
      'a rewind that is none',
      [
        FIRST,
        {
          kind: 'rewind',
          generation: 1,
          position_kind: 'integer',
          watermark_before: '100',
          watermark_after: '50',
        },
      ],
      /without a new generation/,
    ],
  ])('%s', (_, records, what) => {
    const found = fault(...records)
    expect(found?.[0]).toBe(records.length)
    expect(found?.[1]).toMatch(what)
  })

  test('a hole with a name, a range that was adopted, and a rewind hold', () => {
    const hole = { lower: '130', upper: '140' }
    const none = { rowsRead: 0, inserted: 0, updated: 0 }
    const slices = [slice('90', 130), slice('140', 200, none)]
    const skipped = run(100, 200, { slices, holes: [hole] })
    expect(fault(FIRST, skipped)).toBeUndefined()
    expect(fault(run(100, 200, { adopted: [{ lower: null, upper: '100' }] }))).toBeUndefined()
    const rewind = {
      kind: 'rewind',
      generation: 2,
      position_kind: 'integer',
      watermark_before: '200',
      watermark_after: '50',
    }
    const after = run(50, 300, { generation: 2, slices: [slice('40', 300, { generation: 2 })] })
    expect(fault(FIRST, SECOND, rewind, after)).toBeUndefined()
  })
})

describe('receipts', () => {
  test.each<[string, Fields, RegExp]>([
    ['rows that no receipt has', { row_count: 4 }, /says 4 rows, its receipts 3/],
    ['rows that were read and not landed', { landed_count: 2 }, /read 3 rows, landed 2/],
    ['an effect that no receipt has', { counts: { inserted: 3 } }, /counts 3 rows inserted, its receipts 2/],
    [
      'a slice without receipt',
      { slices: [slice('90', 200, { batchId: '' })] },
      /slice 1: it has no receipt/,
    ],
    [
      'a receipt of another range',
      { slices: [slice('90', 200, { claimAfter: { kind: 'integer', value: '250' } })] },
      /its receipt claims 250/,
    ],
  ])('%s', (_, changes, what) => {
    const found = fault(FIRST, run(100, 200, changes))
    expect(found?.[0]).toBe(2)
    expect(found?.[1]).toMatch(what)
  })
})

test('a receipt check that found the sides unlike fails until a clean check follows', () => {
  const differs = run(100, 200, { receipt_check: { verdict: 'differs' } })
  const check = (findings: number) => ({ kind: 'audit', counts: { equal: '5', findings: String(findings) } })
  const expected = [
    2,
    'says that the two sides differ (receipt check), and no clean audit of its range follows',
  ]
  expect(fault(FIRST, differs, run(200, 300))).toEqual(expected)
  expect(fault(FIRST, differs, check(1))).toEqual(expected)
  expect(fault(FIRST, differs, check(1), check(0), run(200, 300))).toBeUndefined()
  const scoped = (from: string | null, settled: string, cut = '0') => ({
    ...check(0),
    from,
    settled_before: settled,
    at_least: cut,
  })
  // The range is [90, 200): half of it, nothing of it, or a check that was cut, clears nothing.
  expect(fault(FIRST, differs, scoped('100', '200'))).toEqual(expected)
  expect(fault(FIRST, differs, scoped('200', '200'))).toEqual(expected)
  expect(fault(FIRST, differs, scoped(null, '190'))).toEqual(expected)
  expect(fault(FIRST, differs, scoped(null, '200', '1'))).toEqual(expected)
  expect(fault(FIRST, differs, scoped('90', '200'))).toBeUndefined()
  const overlapAlike = { ...scoped(null, '190'), counts: { equal: '5', findings: '0', at_risk: '0' } }
  expect(fault(FIRST, differs, overlapAlike)).toBeUndefined()
  expect(fault(FIRST, differs, scoped(null, '200'))).toBeUndefined()
})

describe('decrees', () => {
  const decree = { kind: 'decree', key: 'pid 7', run: 'r9' }
  const bill = { kind: 'bill', key: 'pid 7', run: 'r9' }

  test('one that is open, one that is paid, and one whose run died hold', () => {
    expect(fault(FIRST, decree, run(100, 200, { open_decrees: ['pid 7'] }))).toBeUndefined()
    expect(fault(FIRST, decree, idle(100, { open_decrees: ['pid 7'] }), bill, SECOND)).toBeUndefined()
    const died = { kind: 'run', outcome: 'abandoned', run_id: 'r9' }
    expect(fault(FIRST, decree, died, SECOND)).toBeUndefined()
  })

  test.each<[string, readonly Fields[], RegExp]>([
    ['neither paid nor open', [FIRST, decree, SECOND], /has forgotten the decree of record 2 \(pid 7\)/],
    ['paid and never decreed', [FIRST, bill], /is the bill of pid 7, which no record decrees/],
    [
      'open and never decreed',
      [FIRST, run(100, 200, { open_decrees: ['pid 7'] })],
      /owes the bill of pid 7, which no record decrees/,
    ],
    [
      'open and paid',
      [FIRST, decree, bill, run(100, 200, { open_decrees: ['pid 7'] })],
      /owes the bill of pid 7, which is paid/,
    ],
  ])('one that is %s', (_, records, what) => {
    const found = fault(...records)
    expect(found?.[0]).toBe(records.length)
    expect(found?.[1]).toMatch(what)
  })
})
