import { PlimsollError } from '../../../kernel/errors.ts'
import type { PositionOrder } from '../../../kernel/order.ts'
import type { Position } from '../../../kernel/position.ts'
import { quoteTable } from '../../../kernel/sql-text.ts'
import type { TableRef } from '../../source.ts'
import type { Pool } from '../connect/pool.ts'
import { readTableFacts } from '../describe/columns.ts'
import { rangePredicate } from './predicates.ts'

const LOOK_TIMEOUT_MS = 10_000

/**
 * Whether a partition holds rows below the bound (spec E67). What cannot be looked at may hold some: a partition
 * without index, or one that the role may read through its parent alone.
 */
export async function hasRowsBelow(
  pool: Pool,
  part: TableRef,
  order: PositionOrder,
  bound: Position,
): Promise<boolean> {
  const facts = await readTableFacts(await pool.control(), part)
  const shape = facts?.columns.find(({ name }) => name === order.column)
  if (!shape) return false
  const { nativeType, nullable } = shape
  const below = rangePredicate({ order, nativeType, nullable, futureFromUs: undefined }, undefined, bound)
  try {
    const [row] = await pool.ask(
      `SET LOCAL statement_timeout = ${LOOK_TIMEOUT_MS}; SELECT EXISTS (SELECT FROM ${quoteTable(part)} WHERE ${below}) AS found`,
    )
    return row?.found === 't'
  } catch (error) {
    if (error instanceof PlimsollError && MAY_HOLD.has(error.code)) return true
    throw error
  }
}

const MAY_HOLD = new Set(['SOURCE_QUERY_TOO_LONG', 'SOURCE_AUTH_FAILED', 'ROWS_HIDDEN_BY_POLICY'])
