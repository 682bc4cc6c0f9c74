import { unreachable } from '../assert.ts'
import type { CanonicalType } from './comparison.ts'
import { floatBits } from './float-bits.ts'
import { freeBytes, freeText } from './free-form.ts'
import { parseDay, parseMoment } from './wire-moment.ts'
import type { Digest } from './words.ts'

/** 2^63 µs: instants at or beyond it have no place on the number line (spec F11). */
const INSTANT_LIMIT = 9_223_372_036_854_775_807n

/** The canonical text of a value from the wire's notation (spec F10, F11, F21); null is NULL. */
export function canonicalText(type: CanonicalType, wire: string | null, digest: Digest): string {
  if (wire === null) return 'N'
  switch (type.name) {
    case 'integer':
      return /^(0|-?[1-9]\d*)$/.test(wire) ? wire : odd(wire)
    case 'numeric':
    case 'bit':
      return wire
    case 'interval':
      return /^-?\d/.test(wire) ? wire : `z${wire}`
    case 'decimal':
      return decimalText(wire, type.scale)
    case 'boolean':
      return /^(t|true|1)$/i.test(wire) ? '1' : '0'
    case 'instant':
    case 'wall_time':
      return momentText(wire, type.name === 'instant')
    case 'date':
      return dateText(wire)
    case 'time':
      return timeText(wire)
    case 'float8':
    case 'float4':
      return floatBits(wire, type.name)
    case 'uuid':
      return wire.toLowerCase()
    case 'char':
      return freeText(wire.replace(/ +$/, ''), digest)
    case 'text':
    case 'json':
    case 'printed':
      return freeText(wire, digest)
    case 'bytes':
      return freeBytes(wire.slice(2), digest)
    case 'list':
      return listText(type.of, wire, digest)
    default:
      return unreachable(type)
  }
}

/** As a person may type it, with a sign or zeros before it. */
const odd = (wire: string): string => (/^[+-]?\d+$/.test(wire) ? String(BigInt(wire)) : `z${wire}`)

/** Always `scale` digits after the point; minus zero is zero (spec F12). */
function decimalText(wire: string, scale: number): string {
  if (!/^-?\d/.test(wire)) return wire
  const [whole = '', fraction = ''] = wire.split('.')
  const text = scale === 0 ? whole : `${whole}.${fraction.padEnd(scale, '0')}`
  return /[1-9]/.test(text) ? text : text.replace('-', '')
}

function momentText(wire: string, isInstant: boolean): string {
  const us = parseMoment(wire)
  if (us === undefined) return `z${wire}`
  return us >= INSTANT_LIMIT ? `z${wire}${isInstant && !/[+Z]/.test(wire) ? '+00' : ''}` : String(us)
}

function dateText(wire: string): string {
  return String(parseDay(wire) ?? `z${wire}`)
}

/** 24:00 is a time of day too; MySQL's are signed and have more hours. */
function timeText(wire: string): string {
  const match = /^(-?)(\d+):(\d{2}):(\d{2})(?:\.(\d{1,6}))?$/.exec(wire)
  if (!match) return `z${wire}`
  const [, sign, hour = '0', minute = '0', second = '0', fraction = ''] = match
  const seconds = BigInt(hour) * 3600n + BigInt(minute) * 60n + BigInt(second)
  return `${sign}${seconds * 1_000_000n + BigInt(fraction.padEnd(6, '0'))}`
}

/** How many elements, then their canonical texts; nothing needs escaping (spec F10). Another literal is free form. */
function listText(of: CanonicalType, wire: string, digest: Digest): string {
  if (!wire.startsWith('[') || /^\[-?\d+:/.test(wire)) return freeText(wire, digest)
  const elements = JSON.parse(wire) as (string | null)[]
  const texts = elements.map((element) => canonicalText(of, element, digest))
  return freeText(`${elements.length}:${texts.join(';')}`, digest)
}
