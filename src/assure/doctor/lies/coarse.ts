import { pageBoundaryFrom } from '../../../kernel/forecast/ties.ts'
import type { Looked, TieFigures } from '../../../sources/diagnosis.ts'
import { type Check, judge, ok } from '../check.ts'
import type { TableContext } from '../table-context.ts'
import { amount, figure, rows } from '../words.ts'

/** L3: several rows share one step of the stamps. */
export function coarse({ table, order }: TableContext, ties: Looked<TieFigures>): Check {
  return judge('L3', ties, (census) => {
    const { rowCount, largest, step } = census
    const loss = pageBoundaryFrom(census)
    const figures = {
      row_count: String(rowCount),
      max_tie: String(largest),
      lost_per_page_boundary: figure(loss),
      step,
    }
    if (largest <= 1) return ok(`No two of ${rows(rowCount)} of ${table} share one ${order.column}.`, figures)
    return {
      severity: 'note',
      sentence: `Up to ${amount(largest)} rows share one ${step}; each page boundary inside a tie would cost a reader with \`>\` ${figure(loss)} rows.`,
      remedy: undefined,
      figures,
    }
  })
}
