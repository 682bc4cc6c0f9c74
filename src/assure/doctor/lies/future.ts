import { quoteIdentifier, quoteTable } from '../../../kernel/sql-text.ts'
import type { FutureFigures, Looked } from '../../../sources/diagnosis.ts'
import { type Check, judge, ok } from '../check.ts'
import type { TableContext } from '../table-context.ts'
import { amount } from '../words.ts'
import { noClock } from './no-clock.ts'

/** L5: rows are dated in the future, or for ever. They are a lane, and move no watermark. */
export function future(context: TableContext, looked: Looked<FutureFigures | undefined>): Check {
  return judge('L5', looked, (figures) => {
    const { table, order, shape } = context
    if (figures === undefined) return noClock(context)
    const { infiniteCount, furthest } = figures
    const count = figures.count + infiniteCount
    if (count === 0)
      return ok(`No row of ${table} is dated later than the clock of the source.`, { count: '0' })
    const c = quoteIdentifier(order.column)
    return {
      severity: 'warning',
      sentence: `${amount(count)} ${count === 1 ? 'row is' : 'rows are'} dated up to ${infiniteCount > 0 ? 'infinity' : furthest}; a mark taken from max(${order.column}) would stand there for good.`,
      remedy: `SELECT * FROM ${quoteTable(shape.table)} ORDER BY ${c} DESC LIMIT ${count};   -- correct these`,
      figures: {
        count: String(figures.count),
        infinite_count: String(infiniteCount),
        furthest: furthest ?? '',
      },
    }
  })
}
