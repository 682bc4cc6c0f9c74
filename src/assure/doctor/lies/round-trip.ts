import { quoteIdentifier } from '../../../kernel/sql-text.ts'
import type { Looked, RoundTripFigures } from '../../../sources/diagnosis.ts'
import { type Check, judge, ok } from '../check.ts'
import type { TableContext } from '../table-context.ts'
import { amount } from '../words.ts'

/** L13: a position that changes on the way finds other rows than those it was read from. */
export function roundTrip(
  { table, order }: TableContext,
  looked: Looked<RoundTripFigures | undefined>,
): Check {
  return judge('L13', looked, (figures) => {
    if (figures === undefined) return ok(`${table} has no position to send back yet.`)
    const { sent, rowCount } = figures
    const shown = { sent, row_count: String(rowCount) }
    if (rowCount > 0) return ok(`The largest ${order.column}, ${sent}, comes back as it was sent.`, shown)
    return {
      severity: 'blocker',
      sentence: `${order.column} does not come back as sent: ${sent} finds ${amount(rowCount)} rows.`,
      remedy: `-- a stored position that does not change when it is read, in place of ${quoteIdentifier(order.column)}`,
      figures: shown,
    }
  })
}
