import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseTimestamp, US_PER_DAY } from '../../../kernel/calendar.ts'
import type { PositionOrder } from '../../../kernel/order.ts'
import type { Position } from '../../../kernel/position.ts'
import { positionFromText, positionLiteral } from './literals.ts'
import {
  afterKeyPredicate,
  borderPredicate,
  keyOrder,
  lanePredicates,
  type OrderedColumn,
  peekPredicate,
  rangePredicate,
} from './predicates.ts'

const FUTURE = parseTimestamp('2025-06-01 00:00:05')!
const order = (rest: Partial<PositionOrder>): PositionOrder => ({
  column: 'u',
  kind: 'timestamptz',
  tick: 1n,
  grain: 1n,
  stampedBy: 'unknown',
  ...rest,
})
const column = (rest: Partial<PositionOrder>, more: Partial<OrderedColumn> = {}): OrderedColumn => ({
  order: order(rest),
  nativeType: 'timestamp with time zone',
  nullable: false,
  futureFromUs: FUTURE,
  ...more,
})
const tz = (text: string): Position => ({ kind: 'timestamptz', value: parseTimestamp(text)! })
const integer = (value: bigint): Position => ({ kind: 'integer', value })

describe('ranges', () => {
  test('TIE-2: every range is half-open, with literals of the column on the bare column', () => {
    expect(rangePredicate(column({}), tz('2025-01-01'), tz('2025-01-01 00:00:00.000001'))).toBe(
      `"u" >= '2025-01-01 00:00:00.000000+00'::timestamptz AND "u" < '2025-01-01 00:00:00.000001+00'::timestamptz`,
    )
    const quoted = column({ column: 'a"b', kind: 'integer', flavour: 'sequence' }, { nativeType: 'integer' })
    expect(rangePredicate(quoted, integer(-5n), integer(7n))).toBe(
      `"a""b" >= '-5'::bigint AND "a""b" < '7'::bigint`,
    )
  })

  test('without a lower bound the lanes below stay out', () => {
    expect(rangePredicate(column({}), undefined, tz('2025-01-01'))).toMatch(
      /^"u" >= '0001-01-01 00:00:00\+00'::timestamptz AND/,
    )
    const date = column({ kind: 'date', zone: 'UTC' }, { nativeType: 'date' })
    expect(rangePredicate(date, undefined, { kind: 'date', value: US_PER_DAY })).toBe(
      `"u" >= '0001-01-01'::date AND "u" < '1970-01-02'::date`,
    )
    const counter = column({ kind: 'xid8' }, { nativeType: 'xid8', nullable: true })
    expect(rangePredicate(counter, undefined, { kind: 'xid8', value: 2n ** 64n - 1n })).toBe(
      `"u" IS NOT NULL AND "u" < '18446744073709551615'::xid8`,
    )
  })

  test('PREC-5: a bound outside bigint needs no literal', () => {
    const counter = column({ kind: 'integer', flavour: 'sequence' }, { nativeType: 'bigint' })
    expect(rangePredicate(counter, integer(1n), integer(2n ** 63n))).toBe(
      `"u" >= '1'::bigint AND "u" IS NOT NULL`,
    )
    expect(rangePredicate(counter, integer(2n ** 63n), integer(2n ** 63n + 1n))).toBe(
      'false AND "u" IS NOT NULL',
    )
    const wide = column({ kind: 'integer', flavour: 'sequence' }, { nativeType: 'numeric(38,0)' })
    expect(rangePredicate(wide, undefined, integer(10n ** 30n))).toBe(`"u" < '${10n ** 30n}'::numeric`)
  })

  test('borders lie above their start; peek ends at the future', () => {
    expect(borderPredicate(column({}), tz('2025-01-01'), tz('2025-02-01'))).toContain(`"u" > '2025-01-01`)
    expect(peekPredicate(column({}), tz('2025-05-01'))).toBe(
      `"u" >= '2025-05-01 00:00:00.000000+00'::timestamptz AND "u" < '2025-06-01 00:00:05.000000+00'::timestamptz`,
    )
    const open = column({}, { futureFromUs: undefined })
    expect(peekPredicate(open, tz('2025-05-01'))).toMatch(/AND "u" < 'infinity'$/)
  })
})

describe('lanes', () => {
  const names = (c: OrderedColumn) => [...lanePredicates(c).keys()]

  test('are those the column can have', () => {
    expect(names(column({}))).toEqual(['infinity', 'neg_infinity', 'bc', 'future'])
    expect(names(column({}, { nullable: true, futureFromUs: undefined }))).toEqual([
      'null',
      'infinity',
      'neg_infinity',
      'bc',
    ])
    expect(names(column({ kind: 'xid8' }, { nullable: true }))).toEqual(['null'])
    expect(names(column({ kind: 'integer', flavour: 'sequence' }))).toEqual([])
    expect(names(column({ kind: 'integer', flavour: 'epoch', unit: 's' }))).toEqual(['future'])
    expect(names(column({ kind: 'text', encoding: 'ulid' }))).toEqual(['future', 'malformed'])
  })

  test('ZONE-3: the future of a wall time begins in its own zone', () => {
    const wall = column(
      { kind: 'timestamp', zone: 'Asia/Kolkata' },
      { nativeType: 'timestamp without time zone' },
    )
    expect(lanePredicates(wall).get('future')).toBe(
      `"u" >= ('2025-06-01 00:00:05.000000+00'::timestamptz AT TIME ZONE 'Asia/Kolkata') AND "u" < 'infinity'`,
    )
  })
})

describe('keys', () => {
  const key = (nullable: boolean) => [
    { name: 'a', nativeType: 'text', nullable },
    { name: 'b', nativeType: 'numeric(10,2)', nullable: false },
  ]

  test('a key without NULLs is compared as a row, for its index', () => {
    expect(afterKeyPredicate(key(false), ["o'x", '1.50'])).toBe(
      `("a", "b") > ('o''x', '1.50'::numeric(10,2))`,
    )
    expect(keyOrder(key(false), 'DESC')).toBe('"a" DESC NULLS FIRST, "b" DESC NULLS FIRST')
  })

  test('STATE-9: NULLs in a key stand last and are not passed over', () => {
    expect(afterKeyPredicate(key(true), ['x', '1'])).toBe(
      `("a" > 'x' OR "a" IS NULL OR ("a" = 'x' AND ("b" > '1'::numeric(10,2))))`,
    )
  })
})

test('E1: a position becomes a literal and comes back from what the server prints', () => {
  const max = parseTimestamp('294276-12-31 23:59:59.999999')!
  fc.assert(
    fc.property(fc.bigInt({ min: parseTimestamp('4713-01-01 BC')!, max }), (value) => {
      const literal = positionLiteral({ kind: 'timestamptz', value }, '')
      const text = /'(.*)'/.exec(literal)![1]!
      expect(positionFromText(order({}), text)).toEqual({ kind: 'timestamptz', value })
    }),
  )
})
