import { assert } from './assert.ts'

/** The kinds of position a table can be ordered by (spec E1). */
export type PositionKind = 'timestamptz' | 'timestamp' | 'date' | 'integer' | 'text' | 'xid8'

/**
 * A point in a stream's order. `timestamptz`: µs since 1970-01-01 UTC; `timestamp`, `date`: µs of the wall
 * reading as if UTC; `integer`, `xid8`: the number; `text`: the source's own text. Never a Date, never a float.
 */
export type Position =
  | { readonly kind: 'timestamptz' | 'timestamp' | 'date' | 'integer' | 'xid8'; readonly value: bigint }
  | { readonly kind: 'text'; readonly value: string }

/** A position as catalog, claims and JSON hold it: exact text with the kind beside it (spec E2). */
export interface PositionJson {
  readonly kind: PositionKind
  readonly value: string
}

export function positionToJson(position: Position): PositionJson {
  return { kind: position.kind, value: String(position.value) }
}

/** The inverse of positionToJson. Throws InvariantError when the value is not a number where one must be. */
export function positionFromJson(json: PositionJson): Position {
  if (json.kind === 'text') return { kind: 'text', value: json.value }
  assert(/^-?\d+$/.test(json.value), `position value is not an integer: ${json.value}`)
  return { kind: json.kind, value: BigInt(json.value) }
}

/** Byte order for text (UTF-8 order equals code point order), numeric order otherwise. Negative, zero, positive. */
export function comparePositions(a: Position, b: Position): number {
  assert(a.kind === b.kind, `positions of two kinds compared: ${a.kind}, ${b.kind}`)
  if (a.kind === 'text' && b.kind === 'text') return compareCodePoints(a.value, b.value)
  return a.value < b.value ? -1 : a.value > b.value ? 1 : 0
}

export function maxPosition(a: Position, b: Position): Position {
  return comparePositions(a, b) >= 0 ? a : b
}

export function minPosition(a: Position, b: Position): Position {
  return comparePositions(a, b) <= 0 ? a : b
}

function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return surrogateLast(x) - surrogateLast(y)
  }
  return a.length - b.length
}

/** UTF-16 puts surrogates below U+E000..U+FFFF, code points put them above. */
function surrogateLast(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
