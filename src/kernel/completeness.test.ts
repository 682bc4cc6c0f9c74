import { describe, expect, test } from 'vitest'
import { parseTimestamp } from './calendar.ts'
import { addMark, type CounterMark, completenessIn, completeThrough, forgetReached } from './completeness.ts'
import type { PositionOrder } from './order.ts'
import type { Position } from './position.ts'

const us = (text: string): bigint => parseTimestamp(text)!
const order = (rest: Partial<PositionOrder>): PositionOrder => ({
  column: 'at',
  kind: 'timestamptz',
  tick: 1n,
  grain: 1n,
  stampedBy: 'database',
  ...rest,
})
const at = us('2026-03-01 10:00:00')

describe('A55: a watermark as an instant', () => {
  test.each<[string, Partial<PositionOrder>, Position, bigint | undefined]>([
    ['an instant is itself', {}, { kind: 'timestamptz', value: at }, at],
    [
      'wall time in its zone',
      { kind: 'timestamp', zone: 'Europe/Berlin' },
      { kind: 'timestamp', value: at },
      us('2026-03-01 09:00:00'),
    ],
    [
      'the earlier in a repeated hour',
      { kind: 'timestamp', zone: 'Europe/Berlin' },
      { kind: 'timestamp', value: us('2025-10-26 02:30:00') },
      us('2025-10-26 00:30:00'),
    ],
    [
      'a date begins at its midnight',
      { kind: 'date', zone: 'America/New_York' },
      { kind: 'date', value: us('2026-03-01') },
      us('2026-03-01 05:00:00'),
    ],
    [
      'wall time without a zone is no instant',
      { kind: 'timestamp' },
      { kind: 'timestamp', value: at },
      undefined,
    ],
    [
      'an epoch in its unit',
      { kind: 'integer', flavour: 'epoch', unit: 's' },
      { kind: 'integer', value: at / 1_000_000n },
      at,
    ],
    [
      'a text in its encoding',
      { kind: 'text', encoding: 'iso', template: 'YYYY-MM-DD HH:MM:SS' },
      { kind: 'text', value: '2026-03-01 10:00:00' },
      at,
    ],
    [
      'a text outside its encoding is no instant',
      { kind: 'text', encoding: 'iso' },
      { kind: 'text', value: 'x' },
      undefined,
    ],
  ])('%s', (_, rest, watermark, expected) => {
    expect(completeThrough(order(rest), watermark, [])).toBe(expected)
  })

  const marks: readonly CounterMark[] = [
    { t0: '100', next: '11' },
    { t0: '200', next: '11' },
    { t0: '300', next: '25' },
  ]
  const counter = order({ kind: 'xid8' })
  const xid = (value: bigint): Position => ({ kind: 'xid8', value })

  test.each([
    [10n, undefined],
    [11n, 200n],
    [24n, 200n],
    [25n, 300n],
    [2n ** 64n - 1n, 300n],
  ])('a counter at %d has passed all that was numbered before %s', (value, expected) => {
    expect(completeThrough(counter, xid(value), marks)).toBe(expected)
  })

  test('no watermark is no instant', () => {
    expect(completeThrough(order({}), undefined, marks)).toBeUndefined()
  })

  test('marks that were left behind are forgotten, but the latest reached one', () => {
    expect(forgetReached(marks, xid(12n))).toEqual(marks.slice(1))
    expect(forgetReached(marks, xid(5n))).toEqual(marks)
    expect(forgetReached(marks, undefined)).toEqual(marks)
  })

  test('however long a counter is held, marks stay few, and the newest is among them', () => {
    let kept: readonly CounterMark[] = []
    for (let i = 0; i < 10_000; i++) kept = addMark(kept, { t0: String(i), next: String(i) })
    expect(kept.length).toBeLessThanOrEqual(64)
    expect(kept.at(-1)).toEqual({ t0: '9999', next: '9999' })
    expect(completeThrough(counter, xid(9_999n), kept)).toBe(9_999n)
    expect(completeThrough(counter, xid(5_000n), kept)! <= 5_000n).toBe(true)
  })
})

test('facts of another form say nothing', () => {
  for (const facts of ['', 'null', '{}', 'x']) expect(completenessIn(facts)).toBeUndefined()
  expect(completenessIn('{"completeness":{"pipeline":"shop"}}')).toEqual({ pipeline: 'shop' })
})
