import { floorDiv, floorTo } from './arithmetic.ts'
import { assert } from './assert.ts'
import { daysFromCivil, formatTimestampUs, parseTimestamp, US_PER_DAY } from './calendar.ts'
import type { EpochUnit, PositionOrder } from './order.ts'
import type { Position } from './position.ts'
import { momentFromIdentifier, ulidFloor, uuidv7Floor } from './time-identifier.ts'

const UNITS_PER_SECOND: Readonly<Record<EpochUnit, bigint>> = {
  s: 1n,
  ms: 1_000n,
  us: 1_000_000n,
  ns: 1_000_000_000n,
}

/** True when distances between positions are durations: everything but sequences and xid8. */
export function isTimeLike(order: PositionOrder): boolean {
  return order.kind === 'integer' ? order.flavour === 'epoch' : order.kind !== 'xid8'
}

/**
 * The µs since 1970 a time-like position stands for (wall µs for `timestamp` and `date`), rounded down; undefined for
 * text outside its encoding.
 */
export function positionToUs(order: PositionOrder, position: Position): bigint | undefined {
  assert(isTimeLike(order), `no moments in a ${order.kind} order`)
  if (position.kind !== 'text') return epochToUs(order, position.value)
  if (order.encoding === 'iso') return parseTimestamp(position.value)
  return momentFromIdentifier(order.encoding, position.value)
}

/** The least position of the order that is not before the floor of `us` in the order's own unit (spec E8). */
export function usToPosition(order: PositionOrder, us: bigint): Position {
  assert(isTimeLike(order), `no moments in a ${order.kind} order`)
  if (order.kind === 'text') return { kind: 'text', value: usToText(order, us) }
  if (order.kind === 'date') return { kind: 'date', value: floorTo(us, US_PER_DAY) }
  if (order.kind !== 'integer') return { kind: order.kind, value: us }
  const perSecond = UNITS_PER_SECOND[order.unit ?? 's']
  return { kind: 'integer', value: floorDiv(us * perSecond, 1_000_000n) }
}

function epochToUs(order: PositionOrder, value: bigint): bigint {
  if (order.kind !== 'integer') return value
  return floorDiv(value * 1_000_000n, UNITS_PER_SECOND[order.unit ?? 's'])
}

function usToText(order: PositionOrder, us: bigint): string {
  if (order.encoding === 'ulid') return ulidFloor(us)
  if (order.encoding === 'uuidv7') return uuidv7Floor(us)
  return formatTemplate(order.template ?? 'YYYY-MM-DD HH:MM:SS', us)
}

/** µs in a fixed-width template such as `YYYY-MM-DD HH:MM:SS.SSS` or `YYYY-MM-DDTHH:MM:SSZ`, rounded down. */
export function formatTemplate(template: string, us: bigint): string {
  const full = formatTimestampUs(us)
  assert(us >= US_YEAR_1 && us < US_YEAR_10000, `no fixed-width text for ${full}`)
  const digits = /S*(?=Z?$)/.exec(template.slice(19).replace('.', ''))?.[0].length ?? 0
  const separator = template[10] ?? ''
  const clock = template.length > 10 ? separator + full.slice(11, 11 + Math.min(8, template.length - 11)) : ''
  const fraction = digits > 0 ? full.slice(19, 20 + digits) : ''
  return full.slice(0, 10) + clock + fraction + (template.endsWith('Z') ? 'Z' : '')
}

const US_YEAR_1 = daysFromCivil(1n, 1, 1) * US_PER_DAY
const US_YEAR_10000 = daysFromCivil(10_000n, 1, 1) * US_PER_DAY

/** The largest position of the order's grain that is not above `position` (spec E5). */
export function floorToGrain(
  order: PositionOrder,
  position: Position,
  grain: bigint = order.grain,
): Position {
  if (position.kind !== 'text') return { kind: position.kind, value: floorTo(position.value, grain) }
  const us = positionToUs(order, position)
  return us === undefined ? position : usToPosition(order, floorTo(us, grain))
}

/**
 * `position − amount`, floored to the grain: where the next run begins (spec E13). `amount` is µs for time-like
 * orders, a count otherwise.
 */
export function lowerBound(order: PositionOrder, position: Position, amount: bigint): Position {
  assert(amount >= 0n, 'an overlap is never negative')
  if (!isTimeLike(order)) {
    assert(position.kind !== 'text', 'a counter is no text')
    return floorToGrain(order, { kind: position.kind, value: position.value - amount })
  }
  const us = positionToUs(order, position)
  assert(us !== undefined, `a bound is outside its encoding: ${String(position.value)}`)
  return floorToGrain(order, usToPosition(order, us - amount))
}

/** `a − b` in overlap units (µs, or a count); undefined for text outside its encoding. */
export function positionDistance(order: PositionOrder, a: Position, b: Position): bigint | undefined {
  if (!isTimeLike(order)) {
    return a.kind === 'text' || b.kind === 'text' ? undefined : a.value - b.value
  }
  const [x, y] = [positionToUs(order, a), positionToUs(order, b)]
  return x === undefined || y === undefined ? undefined : x - y
}
