import { floorMod } from '../../../kernel/arithmetic.ts'
import {
  parseTimestamp,
  US_PER_DAY,
  US_PER_HOUR,
  US_PER_MINUTE,
  US_PER_SECOND,
} from '../../../kernel/calendar.ts'
import { PlimsollError } from '../../../kernel/errors.ts'
import { isTimeLike, positionToUs, usToPosition } from '../../../kernel/moment.ts'
import type { PositionOrder } from '../../../kernel/order.ts'
import { quoteTable } from '../../../kernel/sql-text.ts'
import type { TableRef } from '../../source.ts'
import type { Row } from '../connect/connection.ts'
import { newestDistinctQuery } from '../read/predicates.ts'

const ENOUGH_VALUES = 20
const FIRST_LOOK = 32
const LONG_LOOK = 1_000
const LOOK_TIMEOUT_MS = 10_000
const STEPS = [
  US_PER_DAY,
  US_PER_HOUR,
  US_PER_MINUTE,
  US_PER_SECOND,
  100_000n,
  10_000n,
  1_000n,
  100n,
  10n,
  1n,
]

type Ask = (sql: string) => Promise<Row[]>

/**
 * The coarsest step that the column's newest distinct values are multiples of, or undefined where they are too few or
 * take too long to find (spec E5). Ask only where an index serves or the table is small.
 */
export async function observeGrain(
  ask: Ask,
  table: TableRef,
  order: PositionOrder,
): Promise<ObservedGrain | undefined> {
  const look = async (limit: number): Promise<ObservedGrain | undefined> => {
    const query = newestDistinctQuery(quoteTable(table), order, limit)
    const rows = await ask(`SET LOCAL statement_timeout = ${LOOK_TIMEOUT_MS}; ${query}`)
    return grainOf(rows.map((row) => momentOf(order, row.v!)).filter((value) => value !== undefined))
  }
  try {
    // The finest step needs few witnesses; only when they all agree on a coarser one is it worth looking further.
    const first = await look(FIRST_LOOK)
    return first === undefined || first.spacing <= tickUs(order) ? first : await look(LONG_LOOK)
  } catch (error) {
    if (error instanceof PlimsollError && error.code === 'SOURCE_QUERY_TOO_LONG') return undefined
    throw error
  }
}

/** Stamps of a clock, which may be cut; identifiers carry their own milliseconds and dates their days. */
export function canBeCut(order: PositionOrder): boolean {
  if (order.kind === 'text') return order.encoding === 'iso'
  return isTimeLike(order) && order.kind !== 'date'
}

/** A duration in µs as a step of the order, in its own units. */
export function stepOf(order: PositionOrder, us: bigint): bigint {
  const step = order.kind === 'integer' ? (usToPosition(order, us).value as bigint) : us
  return step > order.tick ? step : order.tick
}

function tickUs(order: PositionOrder): bigint {
  if (order.kind !== 'integer') return order.tick
  return positionToUs(order, { kind: 'integer', value: order.tick }) || 1n
}

function momentOf(order: PositionOrder, text: string): bigint | undefined {
  if (order.kind !== 'integer') return parseTimestamp(text)
  return positionToUs(order, { kind: 'integer', value: BigInt(text) })
}

/** Where nothing is known of the column, its values may be whole minutes. */
export const UNKNOWN_GRAIN = US_PER_MINUTE

/**
 * `grain`: the coarsest step that all values are multiples of. `spacing`: the coarsest step between them; it is larger
 * where stamps are cut to the hour or day of a zone whose hours or days do not begin with UTC's.
 */
export interface ObservedGrain {
  readonly grain: bigint
  readonly spacing: bigint
}

/** What the values show, or undefined for too few of them. */
export function grainOf(values: readonly bigint[]): ObservedGrain | undefined {
  const [first] = values
  if (first === undefined || values.length < ENOUGH_VALUES) return undefined
  const coarsest = (origin: bigint): bigint =>
    STEPS.find((step) => values.every((value) => floorMod(value - origin, step) === 0n)) ?? 1n
  return { grain: coarsest(0n), spacing: coarsest(first) }
}

/** Hours and days of another zone: only they can begin elsewhere than UTC's, for zones differ by whole minutes. */
export function isCutElsewhere({ grain, spacing }: ObservedGrain): boolean {
  return spacing > grain && spacing >= US_PER_HOUR
}
