import type { LogicalType } from '../../../kernel/types.ts'
import { hexBytes } from '../../csv.ts'

/** What better-sqlite3 hands out with safe integers. */
export type Value = null | bigint | number | string | Buffer

/** The exact text of a value as the wire carries it (unquoted), or undefined when the class does not fit the type. */
export type Encoder = (value: Exclude<Value, null>) => string | undefined

/** The encoder of a column: by its logical type, or the source's text of every class (spec E75). */
export function encoderOf(type: LogicalType, asText: boolean): Encoder {
  if (asText) return anyText
  switch (type.name) {
    case 'int8':
      return (value) => (typeof value === 'bigint' ? String(value) : undefined)
    case 'float8':
      return (value) => (typeof value === 'number' ? String(value) : undefined)
    case 'bytes':
      return (value) => (Buffer.isBuffer(value) ? hexBytes(value) : undefined)
    case 'bool':
      return (value) => (value === 1n ? 't' : value === 0n ? 'f' : undefined)
    case 'numeric':
      return numericEncoder(type.precision, type.scale)
    case 'json':
      return (value) => (Buffer.isBuffer(value) ? undefined : anyText(value))
    default:
      return (value) => (typeof value === 'string' ? value : undefined)
  }
}

function anyText(value: Exclude<Value, null>): string {
  return Buffer.isBuffer(value) ? hexBytes(value) : String(value)
}

/** SQLite does not hold a decimal to its declared digits: one that has more would be rounded at the destination. */
function numericEncoder(precision: number | undefined, scale: number | undefined): Encoder {
  return (value) => {
    if (typeof value !== 'bigint' && typeof value !== 'number') return undefined
    const text = typeof value === 'bigint' ? String(value) : plainDecimal(value)
    if (precision === undefined || text === undefined) return text
    const [whole = '', fraction = ''] = text.replace(/^-/, '').split('.')
    const wholeDigits = whole === '0' ? 0 : whole.length
    return fraction.length <= (scale ?? 0) && wholeDigits <= precision - (scale ?? 0) ? text : undefined
  }
}

/** The shortest decimal that is this float, without exponent; undefined for infinities. */
export function plainDecimal(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined
  const [, sign, digits, exponent] = /^(-?)([\d.]+)e([+-]\d+)$/.exec(String(value)) ?? []
  if (digits === undefined) return String(value)
  const [whole = '', fraction = ''] = digits.split('.')
  const point = whole.length + Number(exponent)
  const all = whole + fraction
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${all}`
  if (point >= all.length) return `${sign}${all}${'0'.repeat(point - all.length)}`
  return `${sign}${all.slice(0, point)}.${all.slice(point)}`
}

/**
 * The CSV field of a value that needs no quotes and no closer look, which is nearly every one; undefined for all others. Only a
 * shortcut: the slow way gives the same field.
 */
export function quickFieldOf(type: LogicalType, asText: boolean): Encoder {
  if (asText) return () => undefined
  switch (type.name) {
    case 'int8':
      return (value) => (typeof value === 'bigint' ? value.toString() : undefined)
    case 'float8':
      return (value) => (typeof value === 'number' ? String(value) : undefined)
    case 'text':
      return (value) =>
        typeof value === 'string' && value !== '' && !NEEDS_A_LOOK.test(value) ? value : undefined
    default:
      return () => undefined
  }
}

/** What CSV quotes, a NUL, and what might stand for bytes that are no UTF-8. */
const NEEDS_A_LOOK = /[",\\\n\r\0\ufffd]/

/** False when a text needs a closer look: it holds a NUL, or what might stand for bytes that are no UTF-8. */
export function isPlainText(text: string): boolean {
  return !text.includes('\0') && !text.includes('\ufffd')
}
