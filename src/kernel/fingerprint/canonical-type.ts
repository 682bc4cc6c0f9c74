import type { LogicalType } from '../types.ts'
import type { CanonicalName, CanonicalType } from './comparison.ts'

/** What of a column decides its canonical type. */
export interface ColumnForm {
  readonly nativeType: string
  readonly type: LogicalType
  /** It lands as the source's own text (`columns: { c: text }`). */
  readonly asText: boolean
}

/**
 * The form in which every side can print a column (spec F11, F22), from what it holds and how it lands: numbers without
 * declared digits, or with more than 38, may land as text, and so may times with a zone.
 */
export function canonicalTypeOf({ nativeType, type, asText }: ColumnForm): CanonicalType {
  if (asText) return { name: 'printed' }
  if (type.name === 'list') {
    const element = { nativeType: nativeType.replace(/\[\]$/, ''), type: type.of, asText }
    return { name: 'list', of: canonicalTypeOf(element) }
  }
  if (type.name === 'numeric') {
    const { precision, scale = 0 } = type
    if (precision === undefined) return { name: 'numeric' }
    const digits = Math.max(precision - Math.min(scale, 0), Math.max(scale, 0))
    return digits > 38 ? { name: 'numeric' } : { name: 'decimal', scale: Math.max(scale, 0) }
  }
  if (type.name === 'text' && /^(character\(|character$|bpchar)/.test(nativeType)) return { name: 'char' }
  return { name: SCALAR[type.name] }
}

const SCALAR: Readonly<Record<Exclude<LogicalType['name'], 'numeric' | 'list'>, CanonicalName>> = {
  bool: 'boolean',
  int2: 'integer',
  int4: 'integer',
  int8: 'integer',
  uint8: 'integer',
  float4: 'float4',
  float8: 'float8',
  text: 'text',
  bytes: 'bytes',
  date: 'date',
  time: 'time',
  timetz: 'printed',
  timestamp: 'wall_time',
  timestamptz: 'instant',
  interval: 'interval',
  uuid: 'uuid',
  json: 'json',
  jsonb: 'json',
  bit: 'bit',
  opaque: 'printed',
}
