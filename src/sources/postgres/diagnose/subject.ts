import { assert } from '../../../kernel/assert.ts'
import { isTimeLike, usToPosition } from '../../../kernel/moment.ts'
import type { Position } from '../../../kernel/position.ts'
import { quoteIdentifier, quoteTable } from '../../../kernel/sql-text.ts'
import type { TableDiagnosisRequest } from '../../diagnosis.ts'
import type { Pool } from '../connect/pool.ts'
import { type OrderedColumn, rangePredicate } from '../read/predicates.ts'
import { type Ask, type Bench, benchOn } from './bench.ts'
import { momentUs, us } from './moment.ts'

/** One table under diagnosis: names as SQL, and the clock of its positions. */
export interface Subject {
  readonly request: TableDiagnosisRequest
  readonly primary: Bench
  /** Where rows are read. */
  readonly rows: Bench
  readonly table: string
  readonly position: string
  readonly key: readonly string[]
  readonly column: OrderedColumn
  /** µs of a position as SQL; undefined for counters. */
  readonly moment: string | undefined
  /** Positions are compared with a clock: not where nobody knows their zone. */
  readonly isTimed: boolean
  /** The source's clock as positions count moments: wall time for those without a zone. */
  readonly nowUs: bigint
}

/** Reads the clock first: everything else is compared with it. */
export async function openSubject(
  request: TableDiagnosisRequest,
  primary: Pool,
  readers: Pool,
): Promise<Subject> {
  const { shape, order, zoneKnown, futureToleranceUs } = request
  const shown = shape.columns.find(({ name }) => name === order.column)
  assert(shown, `the position column ${order.column} is not in the table`)
  const asked = benchOn(primary, request)
  const clock = await readClock(asked.ask, request)
  const isTimed = zoneKnown && isTimeLike(order)
  return {
    request,
    primary: asked,
    rows: benchOn(readers, request),
    table: quoteTable(shape.table),
    position: quoteIdentifier(order.column),
    key: request.key.map(quoteIdentifier),
    column: {
      order,
      nativeType: shown.nativeType,
      nullable: shown.nullable,
      futureFromUs: isTimed ? clock.instantUs + futureToleranceUs : undefined,
    },
    moment: isTimeLike(order) ? momentUs(order, quoteIdentifier(order.column)) : undefined,
    isTimed,
    nowUs: clock.positionUs,
  }
}

async function readClock(
  ask: Ask,
  { order }: TableDiagnosisRequest,
): Promise<{ readonly instantUs: bigint; readonly positionUs: bigint }> {
  const [row] = await ask(
    `SELECT ${us('t')} AS instant, ${us('t AT TIME ZONE $1')} AS wall FROM clock_timestamp() t`,
    [order.zone ?? 'UTC'],
  )
  const isWall = order.kind === 'timestamp' || order.kind === 'date'
  return { instantUs: BigInt(row!.instant!), positionUs: BigInt((isWall ? row!.wall : row!.instant)!) }
}

/** Rows from a position on that are in no lane; all of them without one. */
export const within = ({ column }: Subject, lower: Position | undefined): string =>
  rangePredicate(column, lower, undefined)

/** The same, those of the future too. */
export const withFuture = ({ column }: Subject, lower: Position | undefined): string =>
  rangePredicate({ ...column, futureFromUs: undefined }, lower, undefined)

/** The position a day before the source's clock. */
export function dayAgo({ request, nowUs }: Subject): Position {
  return usToPosition(request.order, nowUs - DAY_US)
}

const DAY_US = 86_400_000_000n
