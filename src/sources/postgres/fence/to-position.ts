import { formatTimestampUs } from '../../../kernel/calendar.ts'
import { floorToGrain, usToPosition } from '../../../kernel/moment.ts'
import type { PositionOrder } from '../../../kernel/order.ts'
import type { Position } from '../../../kernel/position.ts'
import { bigintOf, type ControlConnection } from './control.ts'
import { INSTANT_BOUND, WALL_BOUND } from './queries.ts'

/**
 * An instant (µs since 1970) as a bound of the order: in the database, for its zone tables decide wall times (spec E6),
 * floored to the grain (E5), below the truncation of stamps; epochs and identifiers to their unit (E8).
 */
export async function instantToPosition(
  connection: ControlConnection,
  order: PositionOrder,
  us: bigint,
): Promise<Position> {
  const { kind, grain, zone, truncation = 0n } = order
  if (kind === 'timestamptz' || kind === 'timestamp' || kind === 'date') {
    const instant = [formatTimestampUs(us - truncation, '+00'), String(grain)]
    const [row] = await (kind === 'timestamptz'
      ? connection.rows(INSTANT_BOUND, instant)
      : connection.rows(WALL_BOUND, [...instant, zone ?? 'UTC']))
    return { kind, value: bigintOf(row!, 'bound') }
  }
  return floorToGrain(order, usToPosition(order, us - truncation))
}

/** A number as a bound of a sequence or xid8 order. */
export function numberToPosition(order: PositionOrder, value: bigint): Position {
  return floorToGrain(order, { kind: order.kind === 'xid8' ? 'xid8' : 'integer', value })
}
