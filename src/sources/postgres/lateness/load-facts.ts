import { assert } from '../../../kernel/assert.ts'
import { US_PER_MINUTE } from '../../../kernel/calendar.ts'
import { PlimsollError } from '../../../kernel/errors.ts'
import { isTimeLike } from '../../../kernel/moment.ts'
import type { PositionOrder } from '../../../kernel/order.ts'
import { quoteIdentifier, quoteTable } from '../../../kernel/sql-text.ts'
import type { LoadFacts, LoadFactsRequest } from '../../source.ts'
import type { Connection, Row } from '../connect/connection.ts'
import type { Pool } from '../connect/pool.ts'
import { snapshotStatements } from '../connect/session.ts'
import { positionFromText } from '../read/literals.ts'
import { rangePredicate } from '../read/predicates.ts'

/** What of a table's load is counted beside the data (assurance A46); a count that meets its limit is left out. */
export async function readLoadFacts(pool: Pool, request: LoadFactsRequest): Promise<LoadFacts> {
  const connection = await pool.lend()
  try {
    const statements = statementsOf(request)
    const one = (sql: string | undefined): Promise<Row | undefined> => bounded(connection, request, sql)
    const minute = await one(statements.busiestMinute)
    const census = await one(statements.census)
    const oldest = await one(statements.oldest)
    const connections = await one(CONNECTIONS)
    return {
      busiestMinute: minute?.minute ? { startUs: minute.minute, rowCount: Number(minute.most) } : undefined,
      rowCount: minute === undefined ? undefined : Number(minute.total ?? '0'),
      ties: census && {
        rowCount: Number(census.rows ?? '0'),
        squareSum: Number(census.squares ?? '0'),
        largest: Number(census.largest ?? '0'),
      },
      rowBytesP99: census?.bytes == null ? undefined : Number(census.bytes),
      oldest: oldest?.oldest == null ? undefined : positionFromText(request.order, oldest.oldest),
      connections: connections && {
        allowed: Number(connections.allowed ?? '0'),
        used: Number(connections.used ?? '0'),
      },
    }
  } finally {
    await pool.giveBack(connection)
  }
}

const CONNECTIONS = `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS allowed,
  (SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE backend_type = 'client backend' OR backend_type IS NULL) AS used`

/** One statement in a transaction of its own; undefined when it took too long. */
async function bounded(
  connection: Connection,
  { queryMaxMs, lockTimeoutMs }: LoadFactsRequest,
  sql: string | undefined,
): Promise<Row | undefined> {
  if (sql === undefined) return undefined
  try {
    await connection.rows(snapshotStatements(queryMaxMs, lockTimeoutMs))
    const [row] = await connection.rows(sql, [], queryMaxMs)
    return row
  } catch (error) {
    if (error instanceof PlimsollError && error.code === 'SOURCE_QUERY_TOO_LONG') return undefined
    throw error
  } finally {
    await connection.rows('ROLLBACK').catch(() => connection.destroy())
  }
}

function statementsOf(request: LoadFactsRequest) {
  const { shape, order, since, until, censusRows } = request
  assert(Number.isSafeInteger(censusRows) && censusRows > 0, `not a count of rows: ${censusRows}`)
  const column = shape.columns.find(({ name }) => name === order.column)
  assert(column, `the position column ${order.column} is not in the table`)
  const ordered = { order, nativeType: column.nativeType, nullable: column.nullable, futureFromUs: undefined }
  const c = quoteIdentifier(order.column)
  const table = quoteTable(shape.table)
  const minute = minuteOf(order, c)
  return {
    busiestMinute:
      minute &&
      `SELECT minute::text AS minute, n AS most, sum(n) OVER () AS total FROM (
        SELECT ${minute} AS minute, count(*) AS n FROM ${table} WHERE ${rangePredicate(ordered, since, until)} GROUP BY 1
      ) minutes ORDER BY n DESC, minute LIMIT 1`,
    census: `WITH newest AS (
        SELECT ${c} AS p, pg_column_size(t.*) AS bytes FROM ${table} t
        WHERE ${rangePredicate(ordered, undefined, until)} ORDER BY ${c} DESC LIMIT ${censusRows})
      SELECT sum(n) AS rows, sum(n::numeric * n) AS squares, max(n) AS largest,
             (SELECT percentile_disc(0.99) WITHIN GROUP (ORDER BY bytes) FROM newest) AS bytes
      FROM (SELECT count(*) AS n FROM newest GROUP BY p) groups`,
    oldest: `SELECT ${c}::text AS oldest FROM ${table} WHERE ${rangePredicate(ordered, undefined, until)} ORDER BY ${c} LIMIT 1`,
  }
}

const PER_MINUTE = { s: 60n, ms: 60_000n, us: 60_000_000n, ns: 60_000_000_000n } as const

/** The minute of a position as µs since 1970; undefined where the server cannot tell it. */
function minuteOf(order: PositionOrder, column: string): string | undefined {
  if (!isTimeLike(order) || order.kind === 'date') return undefined
  if (order.kind === 'integer') {
    const units = PER_MINUTE[order.unit ?? 's']
    return `(floor(${column}::numeric / ${units}) * ${US_PER_MINUTE})::bigint`
  }
  if (order.kind === 'text') return undefined
  return `(extract(epoch FROM date_trunc('minute', ${column}))::numeric * 1000000)::bigint`
}
