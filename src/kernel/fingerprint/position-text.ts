import { daysFromCivil, parseTimestamp, US_PER_DAY } from '../calendar.ts'
import { positionToUs } from '../moment.ts'
import type { PositionOrder } from '../order.ts'
import type { Position } from '../position.ts'

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
      const us = INTEGER.test(text) ? BigInt(text) : parseTimestamp(value)
      return us === undefined || us < FIRST_OF_ERA ? undefined : { kind: order.kind, value: us }
    }
    case 'date': {
      const us = INTEGER.test(text) ? BigInt(text) * US_PER_DAY : parseTimestamp(value)
      return us === undefined || us < FIRST_OF_ERA ? undefined : { kind: 'date', value: us }
    }
    case 'text': {
      const isKnown = text !== 'N' && !/^[wz]/.test(text)
      const position = { kind: 'text', value } as const
      return isKnown && isWellFormed(order, value) ? position : undefined
    }
  }
}

function isWellFormed(order: PositionOrder, value: string): boolean {
  if (order.encoding === 'iso' && order.template !== undefined && value.length !== order.template.length)
    return false
  return positionToUs(order, { kind: 'text', value }) !== undefined
}

/** The canonical text of a position, as a record keeps a bound. */
export function canonicalOfPosition(position: Position): string {
  if (position.kind === 'text') return `v${new TextEncoder().encode(position.value).length}:${position.value}`
  return position.kind === 'date' ? String(position.value / US_PER_DAY) : String(position.value)
}
