import { describe, expect, test } from 'vitest'
import type { HistoryEvent, Landed } from './history.ts'
import { judge } from './judge.ts'

const head = { kind: 'head', planned: 4, head: { rows: 2, durationMs: 1_000 } } as unknown as HistoryEvent

const wrote = (n: number, tag: string, writes: readonly (readonly [string, string, string, string])[]) =>
  ({
    kind: 'transaction',
    actor: 0,
    n,
    tag,
    outcome: 'committed',
    beganUs: '0',
    endedUs: '9',
    writes,
  }) as HistoryEvent

const read = (reader: string, markUs: string, landed: readonly Landed[], again = 0): HistoryEvent => ({
  kind: 'read',
  reader,
  atUs: String(BigInt(markUs) + 1_000_000n),
  markUs,
  pages: 1,
  again,
  landed,
})

/** Rows 1 and 2 from before; 3 inserted, 2 changed, 4 backdated, 1 changed without a stamp; 5 deleted again. */
const base: readonly HistoryEvent[] = [
  head,
  wrote(0, 'ordinary', [['insert', '3', '1.0.0.0', '100']]),
  wrote(1, 'ordinary', [['update', '2', '1.1.0.0', '110']]),
  wrote(2, 'backdated', [['insert', '4', '1.2.0.0', '5']]),
  wrote(3, 'unbumped', [['update', '1', '1.3.0.0', '1']]),
  {
    kind: 'truth',
    rows: [
      ['1', '1.3.0.0', '1'],
      ['2', '1.1.0.0', '110'],
      ['3', '1.0.0.0', '100'],
      ['4', '1.2.0.0', '5'],
    ],
  },
]

const whole: readonly Landed[] = [
  ['1', '1.3.0.0'],
  ['2', '1.1.0.0'],
  ['3', '1.0.0.0'],
  ['4', '1.2.0.0'],
]
const copy = (rows: readonly Landed[], watermarkUs = '200'): HistoryEvent => ({
  kind: 'copy',
  watermarkUs,
  rows,
})
const audit = (...keys: string[]): HistoryEvent => ({
  kind: 'audit',
  notLooked: null,
  named: keys.map((key) => ({ key, verdict: 'LOST', mechanism: 'backdated' })),
})
const of = (...more: HistoryEvent[]) => judge([...base, ...more])

describe('Plimsoll', () => {
  test('a whole copy is clean', () => {
    const { plimsoll, verdict, rowsChanged } = of(copy(whole), audit())
    expect(plimsoll).toMatchObject({ lost: 0, stale: 0, duplicated: 0, ghost: 0, backdated: 0, unbumped: 0 })
    expect([verdict, rowsChanged]).toEqual(['clean', 4])
  })

  test.each<[string, readonly Landed[], object]>([
    ['a missing row is lost', whole.filter(([key]) => key !== '3'), { lost: 1, stale: 0 }],
    [
      'an older version is stale',
      [...whole.filter(([key]) => key !== '2'), ['2', '0.0.2']],
      { lost: 0, stale: 1 },
    ],
    ['a row twice is doubled', [...whole, ['3', '1.0.0.0']], { duplicated: 1 }],
  ])('%s: failed', (_, rows, counts) => {
    const { plimsoll, verdict } = of(copy(rows), audit())
    expect(plimsoll).toMatchObject(counts)
    expect(verdict).toBe('failed')
  })

  test('what is not claimed is not lost', () => {
    expect(
      of(
        copy(
          whole.filter(([key]) => key !== '2'),
          '110',
        ),
        audit(),
      ).verdict,
    ).toBe('clean')
    expect(
      of(
        copy(
          whole.filter(([key]) => key !== '2'),
          '111',
        ),
        audit(),
      ).plimsoll.lost,
    ).toBe(1)
  })

  test('backdated and unbumped rows are counted apart, and the audit must name every one', () => {
    const without = whole.filter(([key]) => key !== '4' && key !== '1')
    const named = of(copy([...without, ['1', '0.0.1']]), audit('1', '4'))
    expect(named.plimsoll).toMatchObject({ lost: 0, stale: 0, backdated: 1, unbumped: 1 })
    expect(named).toMatchObject({ verdict: 'clean', named: 2, unnamed: [] })
    expect(of(copy([...without, ['1', '0.0.1']]), audit('1'))).toMatchObject({
      verdict: 'failed',
      unnamed: ['4'],
    })
  })

  test('rows that were deleted or never committed are ghosts', () => {
    const rows: Landed[] = [...whole.filter(([key]) => key !== '3'), ['3', '9.9.9.9'], ['5', '1.0.0.0']]
    expect(of(copy(rows), audit()).plimsoll.ghost).toBe(2)
  })
})

test('a reader: what it never read is lost, what it read again is doubled', () => {
  const first: readonly Landed[] = [
    ['1', '0.0.1'],
    ['2', '0.0.2'],
  ]
  const events = [
    read('after', '100', first),
    read('after', '110', [['2', '1.1.0.0']], 3),
    read('clock_1s', '100', first),
    read('clock_1s', '110', []),
  ]
  const { readers } = of(copy(whole), audit(), ...events)
  const [after, clock] = [readers[0]!, readers[5]!]
  expect(after).toMatchObject({ boundaries: 2, lost: 1, stale: 0, backdated: 1, unbumped: 1, duplicated: 3 })
  expect(after.reread).toBeCloseTo(6 / 6)
  expect(after.behindSeconds).toBeCloseTo(1)
  // Its bound excludes 110: that row is not claimed; 100 is.
  expect(clock).toMatchObject({ lost: 1, stale: 0 })
})

test('below nine tenths of the rate nothing was rehearsed, but a loss is a loss', () => {
  const slow = base.map((event) => (event === head ? ({ ...head, planned: 5 } as HistoryEvent) : event))
  expect(judge([...slow, copy(whole), audit()]).verdict).toBe('inconclusive')
  expect(judge([...slow, copy([]), audit('1', '4')]).verdict).toBe('failed')
})

test('A51: the same history gives the same table', () => {
  const events = [...base, copy(whole), audit(), read('after', '110', whole)]
  expect(judge(structuredClone(events))).toEqual(judge(events))
})
