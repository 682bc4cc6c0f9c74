import { assert } from '../../../kernel/assert.ts'
import { isTimeLike, positionToUs, usToPosition } from '../../../kernel/moment.ts'
import type { Position } from '../../../kernel/position.ts'
import { quoteIdentifier, quoteTable } from '../../../kernel/sql-text.ts'
import type { TableDiagnosisRequest } from '../../diagnosis.ts'
import { readClockUs } from '../barrier.ts'
import type { Db } from '../connection.ts'
import { readTableFacts, type TableFacts } from '../describe/columns.ts'
import { type OrderedColumn, positionFromValue, rangePredicate } from '../predicates.ts'
import { type Bench, benchOn, TICK } from './bench.ts'

/** One table under diagnosis: names as SQL, and the clock of its positions. */
export interface Subject {
  readonly request: TableDiagnosisRequest
  readonly bench: Bench
  readonly facts: TableFacts
  readonly table: string
  readonly position: string
  readonly column: OrderedColumn
  /** µs of a position as SQL; undefined for counters. */
  readonly moment: string | undefined
  readonly nowUs: bigint
}

export function openSubject(db: Db, request: TableDiagnosisRequest): Subject {
  const { shape, order, futureToleranceUs } = request
  const facts = readTableFacts(db, shape.table)
  const own = facts?.columns.find((each) => each.shape.name === order.column)
  assert(facts && own, `the position column ${order.column} is not in the table`)
  const isTimed = isTimeLike(order)
  const nowUs = readClockUs(db)
  // What the database cannot compute in every encoding, the kernel does; bigints come and go as they are.
  db.function('plimsoll_us', { deterministic: true, safeIntegers: true }, (value: unknown) => {
    if (typeof value !== 'string' && typeof value !== 'bigint') return null
    return positionToUs(order, positionFromValue(order, value)) ?? null
  })
  const position = quoteIdentifier(order.column)
  return {
    request,
    bench: benchOn(db, request),
    facts,
    table: quoteTable(shape.table),
    position,
    column: {
      order,
      nullable: own.shape.nullable,
      strict: own.strict,
      futureFromUs: isTimed ? nowUs + futureToleranceUs : undefined,
    },
    moment: isTimed ? `plimsoll_us(${position})` : undefined,
    nowUs,
  }
}

/** Rows from a position on that are in no lane; all of them without one. */
export const within = ({ column }: Subject, lower: Position | undefined): string =>
  `${rangePredicate(column, lower, undefined)} AND ${TICK}`

/** The same, those of the future too. */
export const withFuture = ({ column }: Subject, lower: Position | undefined): string =>
  `${rangePredicate({ ...column, futureFromUs: undefined }, lower, undefined)} AND ${TICK}`

/** The position a day before the clock. */
export const dayAgo = ({ request, nowUs }: Subject): Position => usToPosition(request.order, nowUs - DAY_US)

const DAY_US = 86_400_000_000n
