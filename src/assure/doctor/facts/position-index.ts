import { quoteIdentifier, quoteTable } from '../../../kernel/sql-text.ts'
import type { Looked } from '../../../sources/diagnosis.ts'
import type { QueryPlan } from '../../../sources/source.ts'
import { type Check, judge, ok } from '../check.ts'
import type { TableContext } from '../table-context.ts'
import { amount } from '../words.ts'

/**
 * A43: an index must begin with the position column, or each run reads the whole table. Where nobody counted its rows, the
 * planner's view of its size decides, as it does in a run (spec E51).
 */
export function positionIndex(context: TableContext, plan: Looked<QueryPlan>): Check {
  return judge('index', { found: context.shape }, ({ positions, rowCountEstimate, kind, table: name }) => {
    const { table, order, fullScanMaxRows, engine } = context
    const c = quoteIdentifier(order.column)
    if (positions.some(({ column, indexed }) => column === order.column && indexed)) {
      return ok(`An index of ${table} begins with ${order.column}.`)
    }
    const count = rowCountEstimate === undefined ? 'all' : `about ${amount(rowCountEstimate)}`
    const figures = { row_count: rowCountEstimate === undefined ? '' : String(rowCountEstimate) }
    if (kind === 'view') {
      return {
        severity: 'note',
        sentence: `${table} is a view: what index serves ${order.column} stands in the tables below it.`,
        remedy: undefined,
        figures,
      }
    }
    const isLarge =
      rowCountEstimate === undefined
        ? !('found' in plan) || plan.found.obstacle !== undefined
        : rowCountEstimate > fullScanMaxRows
    const concurrently = engine === 'postgres' && kind === 'table' ? ' CONCURRENTLY' : ''
    const create =
      engine === 'sqlite'
        ? `INDEX ${quoteIdentifier(`${name.name}_${order.column}`)}`
        : `INDEX${concurrently}`
    const on = engine === 'sqlite' ? quoteIdentifier(name.name) : quoteTable(name)
    return {
      severity: isLarge ? 'blocker' : 'note',
      sentence: `No valid, complete index of ${table} begins with ${order.column}: each run reads ${count} rows.`,
      remedy: `CREATE ${create} ON ${on} (${c});`,
      figures,
    }
  })
}
