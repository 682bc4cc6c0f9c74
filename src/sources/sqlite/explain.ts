import type { Range } from '../../kernel/range.ts'
import { quoteTable } from '../../kernel/sql-text.ts'
import type { QueryPlan, ReaderRequest } from '../source.ts'
import type { Db } from './connection.ts'
import { type OrderedColumn, rangePredicate } from './predicates.ts'
import { rangeQuery } from './read/reader.ts'

/** What the range query would do, from EXPLAIN QUERY PLAN and a bounded count over the index (spec E51). */
export function explainRange(db: Db, request: ReaderRequest, column: OrderedColumn, range: Range): QueryPlan {
  const sql = rangeQuery(request, column, range.lower, range.upper, '*')
  const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]
  const sequentialScan = steps.some((step) => step.detail.startsWith('SCAN'))
  const sort = steps.some((step) => step.detail.includes('TEMP B-TREE'))
  const { fullScanMaxRows } = request
  const total = request.shape.rowCountEstimate ?? fullScanMaxRows + 1
  const large = total > fullScanMaxRows
  return {
    sql,
    expectedRows: sequentialScan && large ? total : expectedRows(db, request, column, range, total),
    sequentialScan,
    sort,
    obstacle: sequentialScan && large ? missingIndex(request, total) : undefined,
  }
}

function expectedRows(
  db: Db,
  request: ReaderRequest,
  column: OrderedColumn,
  range: Range,
  total: number,
): number {
  const rows = `SELECT 1 FROM ${quoteTable(request.shape.table)} WHERE ${rangePredicate(column, range.lower, range.upper)}`
  const sql = `SELECT count(*) FROM (${rows} LIMIT ${request.fullScanMaxRows})`
  const counted = Number(db.prepare(sql).pluck().get())
  return counted < request.fullScanMaxRows ? counted : Math.max(total, counted)
}

function missingIndex({ shape, order }: ReaderRequest, total: number): string {
  const [table, column] = [shape.table.name, order.column]
  const create = `CREATE INDEX "${table}_${column}" ON "${table}" ("${column}")`
  return `Every run would look through all ${total} rows of ${table}, for no index begins with ${column}: ${create};`
}
