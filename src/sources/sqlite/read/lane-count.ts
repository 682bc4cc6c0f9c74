import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Lane } from '../../../kernel/lane.ts'
import { quoteTable } from '../../../kernel/sql-text.ts'
import type { TableRef } from '../../source.ts'
import type { Db } from '../connection.ts'
import {
  lanePredicates,
  malformedOutside,
  malformedWithin,
  type OrderedColumn,
  windowEndQuery,
} from '../predicates.ts'

/** Values looked through in one synchronous step, over the index: some ten milliseconds. */
const WINDOW_ROWS = 50_000

/**
 * Rows in each lane, each counted up to `limit + 1`. The lane `malformed` is looked for in windows along the index,
 * between which the event loop has its turn; without an index in one step, for the table is small (spec E51).
 */
export async function countLanes(
  db: Db,
  table: TableRef,
  column: OrderedColumn,
  indexed: boolean,
  limit: number,
): Promise<Partial<Record<Lane, number>>> {
  const counts: Partial<Record<Lane, number>> = {}
  for (const [lane, predicate] of lanePredicates(column)) {
    counts[lane] =
      lane === 'malformed' && indexed
        ? await countMalformed(db, table, column, limit + 1)
        : countUpTo(db, table, predicate, limit + 1)
  }
  return counts
}

async function countMalformed(
  db: Db,
  table: TableRef,
  column: OrderedColumn,
  enough: number,
): Promise<number> {
  let count = 0
  for (const predicate of malformedOutside(column)) count += countUpTo(db, table, predicate, enough - count)
  let after: string | undefined
  while (count < enough) {
    const end = db
      .prepare(windowEndQuery(table, column, after, WINDOW_ROWS))
      .pluck()
      .get() as string | undefined
    count += countUpTo(db, table, malformedWithin(column, after, end), enough - count)
    if (end === undefined) break
    after = end
    await nextTurn()
  }
  return count
}

function countUpTo(db: Db, table: TableRef, predicate: string, enough: number): number {
  const rows = `SELECT 1 FROM ${quoteTable(table)} WHERE ${predicate} LIMIT ${enough}`
  return Number(db.prepare(`SELECT count(*) FROM (${rows})`).pluck().get())
}
