import type { AheadFigures, Looked } from '../../../sources/diagnosis.ts'
import { type Check, judge, ok } from '../check.ts'
import type { TableContext } from '../table-context.ts'
import { duration, yamlWord } from '../words.ts'
import { noClock } from './no-clock.ts'

/** L6: stamps come from clocks other than the database's. */
export function clocks(context: TableContext, ahead: Looked<readonly AheadFigures[] | undefined>): Check {
  return judge('L6', ahead, (writers) => {
    const { table, order, guardUs, overlap } = context
    if (writers === undefined) return noClock(context)
    const [first, ...others] = writers.filter(({ aheadUs }) => aheadUs > guardUs)
    if (!first) return ok(`No writer of ${table} stamps ahead of the database by more than the guard.`)
    const more = others.length === 0 ? '' : ` ${others.length} more do so by less.`
    const largest = first.aheadUs > overlap ? first.aheadUs : overlap
    return {
      severity: 'warning',
      sentence: `Writer ${first.writer ?? '(unknown)'} stamps ${duration(first.aheadUs)} ahead of the database.${more}`,
      remedy: `position: { column: ${yamlWord(order.column)}, stampedBy: application }   # and overlap: { fixed: ${duration(largest).replaceAll(' ', '')} } or more`,
      figures: Object.fromEntries(
        writers.map(({ writer, aheadUs }) => [writer ?? '(unknown)', String(aheadUs)]),
      ),
    }
  })
}
