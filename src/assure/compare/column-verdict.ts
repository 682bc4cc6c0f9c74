import { parseTimestamp } from '../../kernel/calendar.ts'
import type { CanonicalType } from '../../kernel/fingerprint/comparison.ts'

/**
 * How two canonical texts of one column differ, the first that fits (spec A26). Texts above 4,096 bytes are hashes, of
 * which only the lengths can be compared.
 */
export function columnVerdict(type: CanonicalType, source: string, destination: string): string {
  if (source === 'N' || destination === 'N')
    return source === 'N' ? 'NULL at the source' : 'NULL at the destination'
  if (type.name === 'instant' || type.name === 'wall_time') {
    const found = timeVerdict(source, destination)
    if (found) return found
  }
  const [a, b] = [freeText(source), freeText(destination)]
  if (a !== undefined && b !== undefined) return textVerdict(a, b)
  return numberVerdict(source, destination) ?? 'other'
}

const INTEGER = /^-?\d+$/
const US_PER_QUARTER_HOUR = 900_000_000n

function timeVerdict(source: string, destination: string): string | undefined {
  if (!INTEGER.test(source) || !INTEGER.test(destination)) return undefined
  return momentVerdict(BigInt(source), BigInt(destination))
}

function momentVerdict(a: bigint, b: bigint): string | undefined {
  for (const [name, step] of [
    ['ms', 1_000n],
    ['s', 1_000_000n],
  ] as const) {
    if (roundedAlike(a, b, step)) return `equal after rounding to ${name}`
  }
  const shift = b - a
  if (shift === 0n || shift % US_PER_QUARTER_HOUR !== 0n) return undefined
  const quarters = shift / US_PER_QUARTER_HOUR
  const size = quarters < 0n ? -quarters : quarters
  if (size > 15n * 4n) return undefined
  const minutes = size * 15n
  const amount = minutes % 60n === 0n ? `${minutes / 60n} h` : `${minutes} min`
  return `shifted by ${quarters < 0n ? '-' : '+'}${amount}`
}

/** Rounded or cut to the step, both are the same. */
function roundedAlike(a: bigint, b: bigint, step: bigint): boolean {
  const cut = (value: bigint): bigint => value - (((value % step) + step) % step)
  const round = (value: bigint): bigint => cut(value + step / 2n)
  return cut(a) === b || cut(b) === a || round(a) === b || round(b) === a
}

/** The text inside `v<n>:`, or undefined for other forms. */
function freeText(canonical: string): string | undefined {
  const match = /^v\d+:/.exec(canonical)
  return match ? canonical.slice(match[0].length) : undefined
}

function textVerdict(a: string, b: string): string {
  const moment = momentOfTexts(a, b)
  if (moment) return moment
  if (a.trimEnd() === b.trimEnd()) return 'equal without trailing spaces'
  if (a.toLowerCase() === b.toLowerCase()) return 'equal ignoring case'
  if (a.startsWith(b)) return `cut to ${[...b].length} of ${[...a].length} characters`
  if (b.startsWith(a)) return `longer at the destination: ${[...b].length} of ${[...a].length} characters`
  if (decodedTwice(a) === b || decodedTwice(b) === a)
    return 'equal after a second decoding (bytes read as latin1)'
  return numberVerdict(a, b) ?? 'other'
}

function momentOfTexts(a: string, b: string): string | undefined {
  const [x, y] = [parseTimestamp(a), parseTimestamp(b)]
  return x === undefined || y === undefined ? undefined : momentVerdict(x, y)
}

const NUMBER = /^-?\d+(?:\.\d+)?$/

/** As numbers rounded to n digits after the point: the most digits with which they are equal. */
function numberVerdict(a: string, b: string): string | undefined {
  if (!NUMBER.test(a) || !NUMBER.test(b)) return undefined
  const digits = Math.max(fraction(a).length, fraction(b).length)
  for (let n = digits - 1; n >= 0; n--) {
    if (roundTo(a, n, digits) === roundTo(b, n, digits))
      return `equal as numbers rounded to ${n} ${n === 1 ? 'digit' : 'digits'}`
  }
  return undefined
}

const fraction = (text: string): string => text.split('.')[1] ?? ''

/** A decimal text scaled to `digits` places and rounded half away from zero to `n` of them. */
function roundTo(text: string, n: number, digits: number): bigint {
  const [whole = '', part = ''] = text.replace('-', '').split('.')
  const scaled = BigInt(whole + part.padEnd(digits, '0'))
  const step = 10n ** BigInt(digits - n)
  const rounded = (scaled + step / 2n) / step
  return text.startsWith('-') ? -rounded : rounded
}

/** UTF-8 bytes of a text read as latin1, as a text. */
function decodedTwice(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text))
}
