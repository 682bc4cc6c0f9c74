import { formatTimestampUs } from '../../../kernel/calendar.ts'
import { encodingPattern } from '../../../kernel/encoding-pattern.ts'
import type { PositionOrder } from '../../../kernel/order.ts'
import { quoteLiteral } from '../../../kernel/sql-text.ts'

/** µs since 1970 of a timestamp expression, exact. */
export const us = (expression: string): string =>
  `(extract(epoch FROM ${expression})::numeric * 1000000)::bigint`

/** When a row was committed, µs, in the reading that its position has: wall time for positions without a zone. */
export function committedUs({ kind, zone }: PositionOrder, row: string): string {
  const committed = `pg_xact_commit_timestamp(${row}.xmin)`
  return us(kind === 'timestamp' ? `${committed} AT TIME ZONE ${quoteLiteral(zone ?? 'UTC')}` : committed)
}

/** µs of a position in an order that is like time, as SQL. Only for rows that are in no lane. */
export function momentUs(order: PositionOrder, column: string): string {
  if (order.kind === 'integer') return epochUs(order, column)
  if (order.kind !== 'text') return us(column)
  // Rows outside the encoding may be looked at before they are left out.
  const text = `CASE WHEN ${column}::text ~ ${quoteLiteral(encodingPattern(order) ?? '')} THEN ${column}::text END`
  if (order.encoding === 'ulid') return ulidUs(text)
  if (order.encoding === 'uuidv7') return uuidUs(text)
  return us(`(${text})::timestamp`)
}

function epochUs({ unit = 's' }: PositionOrder, column: string): string {
  if (unit === 'ns') return `floor(${column}::numeric / 1000)::bigint`
  const factor = { s: 1_000_000, ms: 1_000, us: 1 }[unit]
  return `(${column}::numeric * ${factor})::bigint`
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** The first ten characters count milliseconds, five bits each. */
function ulidUs(text: string): string {
  const digit = `strpos('${CROCKFORD}', substr(${text}, i, 1)) - 1`
  return `(SELECT sum((${digit})::bigint << (5 * (10 - i))) * 1000 FROM generate_series(1, 10) i)::bigint`
}

/** The first 48 bits count milliseconds. */
function uuidUs(text: string): string {
  return `(('x0000' || substr(replace(${text}, '-', ''), 1, 12))::bit(64)::bigint * 1000)`
}

/** A position as the server prints it, for a person: the server shows the zone of a moment as an offset. */
export const shownPosition = ({ kind }: PositionOrder, text: string): string =>
  kind === 'timestamptz' ? text.replace(/\+00$/, 'Z') : text

/** µs as positions of the order are shown. */
export const shownUs = ({ kind }: PositionOrder, us: bigint): string =>
  shortest(formatTimestampUs(us, kind === 'timestamp' || kind === 'date' ? '' : 'Z'))

const shortest = (text: string): string =>
  text.replace(/\.(\d*?)0*(Z?)$/, (_, digits: string, zone: string) => `${digits && `.${digits}`}${zone}`)
