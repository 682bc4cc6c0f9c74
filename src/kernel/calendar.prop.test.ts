import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { civilFromDays, daysFromCivil, formatDateUs, formatTimestampUs, parseTimestamp } from './calendar.ts'

// PostgreSQL's range: 4713 BC to 294276 AD.
const us = fc.bigInt({ min: -210_866_803_200_000_000n, max: 9_224_318_015_999_999_999n })

describe('calendar', () => {
  test('text and back is the identity over the whole range', () => {
    fc.assert(
      fc.property(us, fc.constantFrom('' as const, '+00' as const, 'Z' as const), (value, zone) => {
        expect(parseTimestamp(formatTimestampUs(value, zone))).toBe(value)
      }),
      { numRuns: 5000 },
    )
  })

  test('agrees with an independent calendar for the years 1 to 9999', () => {
    const inDate = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 })
    fc.assert(
      fc.property(inDate, (ms) => {
        const expected = new Date(ms).toISOString().replace('T', ' ').replace('Z', '000')
        expect(formatTimestampUs(BigInt(ms) * 1000n)).toBe(expected)
      }),
    )
  })

  test('days and civil dates are inverse', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -3_000_000n, max: 110_000_000n }), (days) => {
        expect(daysFromCivil(...civilFromDays(days))).toBe(days)
      }),
    )
  })

  test.each([
    [0n, '1970-01-01 00:00:00.000000'],
    [-1n, '1969-12-31 23:59:59.999999'],
    [9_224_318_015_999_999_999n, '294276-12-31 23:59:59.999999'],
    [-62_135_596_800_000_001n, '0001-12-31 23:59:59.999999 BC'],
  ])('%s is %s', (value, text) => {
    expect(formatTimestampUs(value)).toBe(text)
    expect(parseTimestamp(text)).toBe(value)
  })

  test('a date alone, with era', () => {
    expect(formatDateUs(-62_135_596_800_000_001n)).toBe('0001-12-31 BC')
    expect(parseTimestamp('2026-03-01')).toBe(1_772_323_200_000_000n)
  })

  test('offsets are subtracted', () => {
    expect(parseTimestamp('2026-03-01 02:00:00+02')).toBe(parseTimestamp('2026-03-01 00:00:00Z'))
    expect(parseTimestamp('2026-03-01 02:00:00-05:30')).toBe(parseTimestamp('2026-03-01 07:30:00Z'))
  })

  test.each([
    '2026-02-30',
    '2026-13-01',
    '2026-01-01 24:00:00',
    '2026-01-01 10:00:00.1234567',
    'yesterday',
    '',
  ])('%j is refused', (text) => expect(parseTimestamp(text)).toBeUndefined())
})
