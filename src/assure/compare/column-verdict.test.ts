import { expect, test } from 'vitest'
import type { CanonicalType } from '../../kernel/fingerprint/comparison.ts'
import { columnVerdict } from './column-verdict.ts'

const text = (value: string): string => `v${Buffer.byteLength(value)}:${value}`
const TEXT: CanonicalType = { name: 'text' }
const INSTANT: CanonicalType = { name: 'instant' }
const DECIMAL: CanonicalType = { name: 'decimal', scale: 4 }

test.each<[CanonicalType, string, string, string]>([
  [TEXT, 'N', 'v0:', 'NULL at the source'],
  [TEXT, 'v0:', 'N', 'NULL at the destination'],
  [INSTANT, '1764339729123456', '1764339729123000', 'equal after rounding to ms'],
  [INSTANT, '1764339729123456', '1764339729000000', 'equal after rounding to s'],
  [INSTANT, '1764339729500001', '1764339730000000', 'equal after rounding to s'],
  [INSTANT, '1764339729000000', '1764343329000000', 'shifted by +1 h'],
  [INSTANT, '1764339729000000', '1764336129000000', 'shifted by -1 h'],
  [INSTANT, '1764339729000000', '1764359529000000', 'shifted by +330 min'],
  [INSTANT, '1764339729000000', '1764339739000000', 'other'],
  [TEXT, text('ab'), text('ab  '), 'equal without trailing spaces'],
  [TEXT, text('Ab'), text('aB'), 'equal ignoring case'],
  [TEXT, text('abcdef'), text('abc'), 'cut to 3 of 6 characters'],
  [TEXT, text('é€'), text('Ã©â\u0082¬'), 'equal after a second decoding (bytes read as latin1)'],
  [TEXT, text('2025-11-28 14:22:09'), text('2025-11-28 15:22:09'), 'shifted by +1 h'],
  [DECIMAL, '1.2345', '1.2346', 'equal as numbers rounded to 3 digits'],
  [DECIMAL, '1.2345', '1.2300', 'equal as numbers rounded to 2 digits'],
  [DECIMAL, '-0.5000', '0.5000', 'other'],
  [TEXT, text('abc'), text('xyz'), 'other'],
])('%j: %s against %s is %s', (type, source, destination, verdict) => {
  expect(columnVerdict(type, source, destination)).toBe(verdict)
})
