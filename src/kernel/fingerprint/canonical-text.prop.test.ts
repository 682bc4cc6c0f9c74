import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatTimestampUs } from '../calendar.ts'
import { canonicalText } from './canonical-text.ts'
import type { CanonicalType } from './comparison.ts'
import { utf8Size } from './free-form.ts'
import { decodeKeyText, encodeKeyText } from './key-text.ts'
import type { Digest } from './words.ts'

const md5: Digest = (data) => createHash('md5').update(data).digest('hex')

const trap = fc.string({ unit: fc.constantFrom(...';:vwNz0123456789'), maxLength: 6 })
const text: fc.Arbitrary<string | null> = fc.oneof(trap, fc.string({ unit: 'binary' }), fc.constant(null))
const bytes = fc.uint8Array({ maxLength: 4 }).map((all) => `\\x${Buffer.from(all).toString('hex')}`)

interface Column {
  readonly type: CanonicalType
  readonly value: fc.Arbitrary<string | null>
}

const COLUMNS: readonly Column[] = [
  { type: { name: 'text' }, value: text },
  { type: { name: 'printed' }, value: text },
  { type: { name: 'bytes' }, value: fc.oneof(bytes, fc.constant(null)) },
  { type: { name: 'integer' }, value: fc.oneof(fc.bigInt(-20n, 20n).map(String), fc.constant(null)) },
  {
    type: { name: 'decimal', scale: 2 },
    value: fc.integer({ min: -99, max: 99 }).map((n) => (n / 10).toFixed(2)),
  },
  { type: { name: 'boolean' }, value: fc.constantFrom('t', 'f', null) },
  { type: { name: 'uuid' }, value: fc.uuid() },
  { type: { name: 'bit' }, value: fc.string({ unit: fc.constantFrom('0', '1'), maxLength: 4 }) },
  {
    type: { name: 'list', of: { name: 'text' } },
    value: fc.array(fc.oneof(trap, fc.constant(null)), { maxLength: 3 }).map((all) => JSON.stringify(all)),
  },
]

/** Columns of a plan, and two rows of it. */
const twoRows = fc
  .array(fc.integer({ min: 0, max: COLUMNS.length - 1 }), { minLength: 1, maxLength: 4 })
  .chain((picks) => {
    const columns = picks.map((pick) => COLUMNS[pick]!)
    const row = fc.tuple(...columns.map(({ value }) => value))
    return fc.tuple(fc.constant(columns.map(({ type }) => type)), row, row)
  })

describe('canonical text', () => {
  test('two different rows of one plan never have the same row text (F10)', () => {
    fc.assert(
      fc.property(twoRows, ([types, a, b]) => {
        const [x, y] = [a, b].map((row) => encodeKeyText(types, row, md5))
        expect(x === y).toBe(JSON.stringify(a) === JSON.stringify(b))
      }),
      { numRuns: 20_000 },
    )
  })

  test('a key comes back from its text', () => {
    const simple = COLUMNS.filter(({ type }) => type.name !== 'list')
    const row = fc
      .array(fc.integer({ min: 0, max: simple.length - 1 }), { minLength: 1, maxLength: 4 })
      .chain((picks) => {
        const columns = picks.map((pick) => simple[pick]!)
        return fc.tuple(
          fc.constant(columns.map(({ type }) => type)),
          fc.tuple(...columns.map(({ value }) => value)),
        )
      })
    fc.assert(
      fc.property(row, ([types, key]) => {
        expect(decodeKeyText(types, encodeKeyText(types, key, md5))).toEqual(key)
      }),
      { numRuns: 5_000 },
    )
  })

  test('bytes are counted as UTF-8 has them', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string({ unit: fc.constantFrom('a', '\u00e9', '\ud83d', '\ude00', '\ufffd') }),
        ),
        (value) => {
          expect(utf8Size(value)).toBe(new TextEncoder().encode(value).length)
        },
      ),
    )
  })

  test('moments and days are numbers, and come back', () => {
    const us = fc.bigInt(-210_866_803_200_000_000n, 9_223_372_036_854_775_806n)
    fc.assert(
      fc.property(us, (value) => {
        const type: CanonicalType = { name: 'instant' }
        expect(canonicalText(type, formatTimestampUs(value), md5)).toBe(String(value))
        const [wire] = decodeKeyText([type], String(value))!
        expect(canonicalText(type, wire!, md5)).toBe(String(value))
        expect(wire).not.toMatch(/\.\d*0$/)
      }),
    )
    fc.assert(
      fc.property(fc.bigInt(-2_440_588n, 2_145_042_905n), (days) => {
        const [wire] = decodeKeyText([{ name: 'date' }], String(days))!
        expect(canonicalText({ name: 'date' }, wire!, md5)).toBe(String(days))
      }),
    )
  })
})
