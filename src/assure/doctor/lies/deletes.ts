import type { DeleteFigures, Looked } from '../../../sources/diagnosis.ts'
import { type Check, judge, ok } from '../check.ts'
import type { TableContext } from '../table-context.ts'
import { amount, shellWord } from '../words.ts'

/** A whole comparison as seldom as this still counts as weekly. */
const WEEKLY_DAYS = 8

/** L10: deletes leave no position behind; only a whole comparison sees them. */
export function deletes(context: TableContext, looked: Looked<DeleteFigures | undefined>): Check {
  return judge('L10', looked, (figures) => {
    const { table, order, stream, reconciledDaysAgo } = context
    if (figures === undefined) {
      return {
        severity: 'note',
        sentence: `Whether rows of ${table} were deleted leaves no trace here; ${order.column} cannot show it.`,
        remedy: `plimsoll reconcile ${shellWord(stream ?? table)}   # weekly`,
      }
    }
    const { count, since, way } = figures
    if (count === 0) return ok(`No row of ${table} is known to have been deleted.`, { count: '0' })
    const isCompared = reconciledDaysAgo !== undefined && reconciledDaysAgo <= WEEKLY_DAYS
    const began = since ?? (way === 'statistics' ? 'the statistics began' : 'its first key')
    return {
      severity: isCompared ? 'note' : 'warning',
      sentence: `${amount(count)} ${count === 1 ? 'row was' : 'rows were'} deleted since ${began}; ${order.column} cannot show it.`,
      remedy: `plimsoll reconcile ${shellWord(stream ?? table)}   # weekly, with deletes: mark`,
      figures: { count: String(count), since: since ?? '' },
    }
  })
}
