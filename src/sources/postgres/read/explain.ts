import type { Range } from '../../../kernel/range.ts'
import { quoteIdentifier, quoteTable } from '../../../kernel/sql-text.ts'
import type { QueryPlan, ReaderRequest } from '../../source.ts'
import type { Pool } from '../connect/pool.ts'
import { statementsFor } from './statements.ts'

const BORDER_ROWS = 250_000

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Plan Rows': number
  readonly Plans?: readonly PlanNode[]
}

/** EXPLAINs what a run would ask, without asking it (spec E51). */
export async function explainRange(pool: Pool, request: ReaderRequest, range: Range): Promise<QueryPlan> {
  const statements = statementsFor(request)
  const sql = statements.range(range)
  const plan = await explain(pool, sql)
  const border = await explain(pool, statements.border(range.lower, range.upper, BORDER_ROWS))
  const whole = await explain(pool, `SELECT FROM ${quoteTable(request.shape.table)}`)
  const rows = whole['Plan Rows']
  const sequentialScan = nodes(plan).some((node) => node['Node Type'] === 'Seq Scan')
  const sorts = [...nodes(plan), ...nodes(border)].filter((node) => /Sort$/.test(node['Node Type']))
  const indexed = request.shape.positions.some((fact) => fact.indexed && fact.column === request.order.column)
  const isLarge = !indexed && rows > request.fullScanMaxRows
  // An index on other columns first is read from end to end. Of a view only the plan tells what it stands on.
  const costly = isLarge && (request.shape.kind !== 'view' || sequentialScan || sorts.length > 0)
  return {
    sql,
    expectedRows: plan['Plan Rows'],
    sequentialScan,
    // To sort a few rows of a small table or range is cheaper than to follow the index.
    sort: sorts.length > 0 && (costly || sorts.some((node) => node['Plan Rows'] > request.fullScanMaxRows)),
    obstacle: costly ? obstacle(request, rows) : undefined,
  }
}

function obstacle({ shape, order }: ReaderRequest, rows: number): string {
  const table = `${shape.table.schema}.${shape.table.name}`
  const problem = `${table} has no index that begins with ${order.column}, so each run would read about ${rows} rows`
  if (shape.kind === 'view') return `${problem}; index the column of the table that the view takes it from`
  const concurrently = shape.kind === 'partitioned' ? '' : ' CONCURRENTLY'
  const create = `CREATE INDEX${concurrently} ON ${quoteTable(shape.table)} (${quoteIdentifier(order.column)})`
  return `${problem}: ${create};`
}

async function explain(pool: Pool, sql: string): Promise<PlanNode> {
  const [row] = await pool.ask(`EXPLAIN (FORMAT JSON) ${sql}`)
  const [answer] = JSON.parse(row!['QUERY PLAN']!) as [{ Plan: PlanNode }]
  return answer.Plan
}

function nodes(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodes)]
}
