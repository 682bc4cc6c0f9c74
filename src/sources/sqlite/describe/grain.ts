import { US_PER_DAY } from '../../../kernel/calendar.ts'
import { isTimeLike, positionToUs } from '../../../kernel/moment.ts'
import type { EpochUnit, PositionOrder } from '../../../kernel/order.ts'
import type { Position } from '../../../kernel/position.ts'
import type { TableRef } from '../../source.ts'
import type { Db } from '../connection.ts'
import { newestDistinctQuery, positionFromValue } from '../predicates.ts'

const ENOUGH_VALUES = 20
const LOOKED_AT = 1_000
const MINUTES_PER_DAY = 1_440n

const UNITS_PER_DAY: Readonly<Record<EpochUnit, bigint>> = {
  s: 86_400n,
  ms: 86_400_000n,
  us: US_PER_DAY,
  ns: US_PER_DAY * 1_000n,
}

/**
 * The step that the newest distinct values show: the largest that divides a day and all of them. Undefined when they
 * are too few to show any, and for counters (spec E5).
 */
export function observeGrain(db: Db, table: TableRef, order: PositionOrder): bigint | undefined {
  if (!isTimeLike(order)) return undefined
  const values = db
    .prepare(newestDistinctQuery(table, order, LOOKED_AT))
    .pluck()
    .all()
  const amounts = values
    .map((value) => amountOf(order, positionFromValue(order, value as string | bigint)))
    .filter((amount) => amount !== undefined)
  if (amounts.length < ENOUGH_VALUES) return undefined
  return max(order.tick, amounts.reduce(gcd, unitsPerDay(order)))
}

/** Where nothing is declared and too few values show a step, they may be whole minutes (spec E5). */
export function unknownGrain(order: PositionOrder): bigint {
  return isTimeLike(order) ? max(order.tick, unitsPerDay(order) / MINUTES_PER_DAY) : order.tick
}

/** The coarser of what is declared and what the values show (spec E5). */
export function coarser(declared: bigint, seen: bigint | undefined): bigint {
  return seen === undefined ? declared : max(declared, seen)
}

function unitsPerDay(order: PositionOrder): bigint {
  return order.kind === 'integer' ? UNITS_PER_DAY[order.unit ?? 's'] : US_PER_DAY
}

function amountOf(order: PositionOrder, position: Position): bigint | undefined {
  return position.kind === 'text' ? positionToUs(order, position) : position.value
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b < 0n ? -b : b]
  while (y !== 0n) [x, y] = [y, x % y]
  return x
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)
