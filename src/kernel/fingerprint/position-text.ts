import { daysFromCivil, US_PER_DAY } from '../calendar.ts'
import { encodingPattern } from '../encoding-pattern.ts'
import type { PositionOrder } from '../order.ts'
import type { Position } from '../position.ts'
import { parseDay, parseMoment } from './wire-moment.ts'

const FIRST_OF_ERA = daysFromCivil(1n, 1, 1) * US_PER_DAY
const INTEGER = /^-?\d+$/

/** The position that a canonical text stands for; undefined for rows without a place in the order (spec E43). */
export function positionFromCanonical(order: PositionOrder, text: string): Position | undefined {
  const value = /^v\d+:/.test(text) ? text.slice(text.indexOf(':') + 1) : text
  switch (order.kind) {
    case 'integer':
    case 'xid8':
      return INTEGER.test(value) ? { kind: order.kind, value: BigInt(value) } : undefined
    case 'timestamptz':
    case 'timestamp': {
      // Beyond 2^63 µs a moment is no number, yet it has a place.
      const us = INTEGER.test(text) ? BigInt(text) : parseMoment(value.replace(/^z/, ''))
      return us === undefined || us < FIRST_OF_ERA ? undefined : { kind: order.kind, value: us }
    }
    case 'date': {
      const days = INTEGER.test(text) ? BigInt(text) : parseDay(value)
      const us = days === undefined ? undefined : days * US_PER_DAY
      return us === undefined || us < FIRST_OF_ERA ? undefined : { kind: 'date', value: us }
    }
    case 'text': {
      const isKnown = text !== 'N' && !/^(w\d+:|z)/.test(text)
      const position = { kind: 'text', value } as const
      return isKnown && isWellFormed(order, value) ? position : undefined
    }
  }
}

/** The same texts as the `ordered` scope of every engine. */
function isWellFormed(order: PositionOrder, value: string): boolean {
  return new RegExp(encodingPattern(order) ?? '').test(value)
}

/** The canonical text of a position, as a record keeps a bound. */
export function canonicalOfPosition(position: Position): string {
  if (position.kind === 'text') return `v${new TextEncoder().encode(position.value).length}:${position.value}`
  return position.kind === 'date' ? String(position.value / US_PER_DAY) : String(position.value)
}
