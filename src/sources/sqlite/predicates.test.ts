import { describe, expect, test } from 'vitest'
import type { PositionOrder } from '../../kernel/order.ts'
import type { Position } from '../../kernel/position.ts'
import {
  afterKeyPredicate,
  borderPredicate,
  lanePredicates,
  type OrderedColumn,
  positionFromValue,
  rangePredicate,
} from './predicates.ts'

const iso = (template: string, change: Partial<OrderedColumn> = {}): OrderedColumn => ({
  order: {
    column: 'at',
    kind: 'text',
    encoding: 'iso',
    template,
    tick: 1_000_000n,
    grain: 1_000_000n,
    stampedBy: 'database',
  },
  nullable: true,
  strict: false,
  futureFromUs: undefined,
  ...change,
})
const epoch = (unit: PositionOrder['unit'], change: Partial<OrderedColumn> = {}): OrderedColumn => ({
  order: {
    column: 'at',
    kind: 'integer',
    flavour: 'epoch',
    ...(unit ? { unit } : {}),
    tick: 1n,
    grain: 1n,
    stampedBy: 'unknown',
  },
  nullable: false,
  strict: true,
  futureFromUs: undefined,
  ...change,
})
const text = (value: string): Position => ({ kind: 'text', value })
const integer = (value: bigint): Position => ({ kind: 'integer', value })

describe('predicates', () => {
  test('a range is half-open on the bare column; a border is strictly above', () => {
    const strict = epoch('s')
    expect(rangePredicate(strict, integer(1n), integer(2n))).toBe('"at" >= 1 AND "at" < 2')
    expect(borderPredicate(strict, integer(1n), integer(2n))).toBe('"at" > 1 AND "at" < 2')
    expect(rangePredicate(strict, undefined, integer(2n))).toBe('"at" < 2')
  })

  test('one above the largest integer is a bound like any other (PREC-5)', () => {
    expect(rangePredicate(epoch('s'), integer(2n ** 63n - 1n), integer(2n ** 63n))).toBe(
      '"at" >= 9223372036854775807 AND "at" < 9223372036854775808',
    )
  })

  test('texts are literals, whatever stands in them', () => {
    const predicate = rangePredicate(iso('YYYY-MM-DD'), text("it's"), text('x'))
    expect(predicate).toContain(`"at" >= 'it''s' AND "at" < 'x'`)
  })

  test.each([
    ['YYYY-MM-DD', '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'],
    ['YYYY-MM-DD HH:MM', '-[0-3][0-9] [0-2][0-9]:[0-5][0-9]'],
    ['YYYY-MM-DD HH:MM:SS', '[0-2][0-9]:[0-5][0-9]:[0-5][0-9]'],
    ['YYYY-MM-DDTHH:MM:SS.SSSZ', 'T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]Z'],
  ])('the encoding %s is checked in full', (template, glob) => {
    expect(rangePredicate(iso(template), text('a'), text('b'))).toMatch(
      new RegExp(`GLOB '[^']*${glob.replaceAll(/[[\].]/g, '\\$&')}'`),
    )
  })

  test('the future begins at the first position wholly in it', () => {
    const us = 1_767_607_200_000_001n
    expect(lanePredicates(epoch('s', { futureFromUs: us })).get('future')).toBe(
      `"at" >= 1767607201 AND "at" < ''`,
    )
    expect(lanePredicates(epoch('ms', { futureFromUs: us })).get('future')).toContain('>= 1767607200001 ')
    const seconds = lanePredicates(iso('YYYY-MM-DD HH:MM:SS', { futureFromUs: us }))
    expect(seconds.get('future')).toContain(`"at" >= '2026-01-05 10:00:01' AND "at" < x''`)
  })

  test('only lanes that can exist are there', () => {
    expect([...lanePredicates(epoch('s')).keys()]).toEqual([])
    expect([...lanePredicates(epoch('s', { strict: false })).keys()]).toEqual(['malformed'])
    expect([...lanePredicates(iso('YYYY-MM-DD', { futureFromUs: 1n })).keys()]).toEqual([
      'null',
      'future',
      'malformed',
    ])
  })

  test('keys compare as bytes, each as a literal of its class', () => {
    const key = [
      { name: 'a', type: { name: 'int8' } },
      { name: 'b', type: { name: 'text' } },
      { name: 'c', type: { name: 'bytes' } },
      { name: 'd', type: { name: 'float8' } },
      { name: 'e', type: { name: 'bool' } },
    ] as const
    expect(afterKeyPredicate(key, ['9007199254740993', "o'", '\\x00ff', '-Infinity', 't'])).toBe(
      '("a" COLLATE BINARY, "b" COLLATE BINARY, "c" COLLATE BINARY, "d" COLLATE BINARY, "e" COLLATE BINARY) > ' +
        "(9007199254740993, 'o''', x'00ff', -9e999, 1)",
    )
    expect(() => afterKeyPredicate([{ name: 'a', type: { name: 'int8' } }], ['1; DROP TABLE t'])).toThrow()
    expect(() => afterKeyPredicate([{ name: 'a', type: { name: 'float8' } }], ['1 OR 1'])).toThrow()
    expect(() => afterKeyPredicate(key, ['1'])).toThrow()
  })

  test('a value is a position of the order’s kind or a defect', () => {
    expect(positionFromValue(epoch('s').order, 5n)).toEqual(integer(5n))
    expect(positionFromValue(iso('YYYY-MM-DD').order, 'x')).toEqual(text('x'))
    expect(() => positionFromValue(epoch('s').order, 'x')).toThrow()
    expect(() => positionFromValue(iso('YYYY-MM-DD').order, 5n)).toThrow()
  })
})
