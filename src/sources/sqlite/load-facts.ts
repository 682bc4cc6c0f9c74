import { parseTimestamp, US_PER_MINUTE } from '../../kernel/calendar.ts'
import type { EpochUnit, PositionOrder } from '../../kernel/order.ts'
import type { Position } from '../../kernel/position.ts'
import { quoteIdentifier, quoteTable } from '../../kernel/sql-text.ts'
import type { LoadFacts, LoadFactsRequest } from '../source.ts'
import type { Db } from './connection.ts'
import { readTableFacts } from './describe/columns.ts'
import { rangePredicate } from './predicates.ts'
import { orderedColumn } from './read/ordered-column.ts'

/** A query cannot be interrupted here, so minutes are counted among the newest rows only: this many times the census. */
const MINUTE_ROWS = 5

/** What of a table's load is counted beside the data (assurance A46). Bounded by rows; there are no connections to count. */
export function readLoadFacts(db: Db, request: LoadFactsRequest): LoadFacts {
  const { shape, order, since, until, censusRows } = request
  const facts = readTableFacts(db, shape.table)
  if (!facts) return NOTHING
  const column = orderedColumn({ order, futureFromUs: undefined }, facts)
  const c = quoteIdentifier(order.column)
  const table = quoteTable(shape.table)
  const newest = (from: Position | undefined, limit: number, columns: string): string =>
    `SELECT ${columns} FROM ${table} WHERE ${rangePredicate(column, from, until)} ORDER BY ${c} DESC LIMIT ${limit}`
  const one = (sql: string) => db.prepare(sql).get() as Record<string, bigint | string | null> | undefined

  const minute = minuteOf(order, c)
  const busiest = minute
    ? one(
        `SELECT minute, n AS most, sum(n) OVER () AS total FROM (SELECT minute, count(*) AS n
          FROM (${newest(since, censusRows * MINUTE_ROWS, `${minute.sql} AS minute`)}) GROUP BY minute) ORDER BY n DESC, minute LIMIT 1`,
      )
    : undefined
  const ties = one(
    `SELECT sum(n) AS rows, sum(n * n) AS squares, max(n) AS largest
      FROM (SELECT count(*) AS n FROM (${newest(undefined, censusRows, `${c} AS p`)}) GROUP BY p)`,
  )
  const size = shape.columns
    .map(({ name }) => `coalesce(length(CAST(${quoteIdentifier(name)} AS BLOB)), 0)`)
    .join(' + ')
  const sizes = newest(undefined, censusRows, `${size} AS bytes`)
  const bytes = one(
    `SELECT bytes FROM (${sizes}) ORDER BY bytes DESC LIMIT 1 OFFSET (SELECT count(*) / 100 FROM (${sizes}))`,
  )
  const oldest = one(
    `SELECT ${c} AS oldest FROM ${table} WHERE ${rangePredicate(column, undefined, until)} ORDER BY ${c} LIMIT 1`,
  )?.oldest
  const startUs = busiest?.minute == null ? undefined : minute?.startUs(busiest.minute)
  return {
    busiestMinute:
      startUs === undefined ? undefined : { startUs: String(startUs), rowCount: Number(busiest!.most) },
    rowCount: busiest?.total == null ? undefined : Number(busiest.total),
    ties:
      ties?.rows == null
        ? undefined
        : { rowCount: Number(ties.rows), squareSum: Number(ties.squares), largest: Number(ties.largest) },
    rowBytesP99: bytes?.bytes == null ? undefined : Number(bytes.bytes),
    oldest: oldest == null ? undefined : positionOf(order, oldest),
    connections: undefined,
  }
}

const NOTHING: LoadFacts = {
  busiestMinute: undefined,
  rowCount: undefined,
  ties: undefined,
  rowBytesP99: undefined,
  oldest: undefined,
  connections: undefined,
}

const PER_MINUTE: Readonly<Record<EpochUnit, bigint>> = {
  s: 60n,
  ms: 60_000n,
  us: 60_000_000n,
  ns: 60_000_000_000n,
}
/** `YYYY-MM-DD HH:MM` */
const MINUTE_LENGTH = 16

interface Minute {
  readonly sql: string
  startUs(value: bigint | string): bigint | undefined
}

function minuteOf(order: PositionOrder, column: string): Minute | undefined {
  if (order.kind === 'integer' && order.flavour === 'epoch') {
    const units = PER_MINUTE[order.unit ?? 's']
    return { sql: `${column} / ${units}`, startUs: (value) => BigInt(value) * US_PER_MINUTE }
  }
  if (order.kind !== 'text' || order.encoding !== 'iso' || (order.template ?? '').length < MINUTE_LENGTH)
    return undefined
  return {
    sql: `substr(${column}, 1, ${MINUTE_LENGTH})`,
    startUs: (value) => parseTimestamp(`${String(value).replace('T', ' ')}:00`),
  }
}

const positionOf = (order: PositionOrder, value: bigint | string): Position =>
  order.kind === 'text' ? { kind: 'text', value: String(value) } : { kind: 'integer', value: BigInt(value) }
