import { quoteIdentifier, quoteTable } from '../../../kernel/sql-text.ts'
import type { LaneFigures, Looked } from '../../../sources/diagnosis.ts'
import { type Check, judge, ok } from '../check.ts'
import type { TableContext } from '../table-context.ts'
import { amount, rows } from '../words.ts'

/** L8: rows without a place in the order. The program delivers them apart; too many of them are a mistake. */
export function noPlace(context: TableContext, looked: Looked<LaneFigures>): Check {
  return judge('L8', looked, ({ counts, forms }) => {
    const { table, laneMaxRows } = context
    const lanes = Object.entries(counts).filter(([, count]) => count > 0)
    const total = lanes.reduce((sum, [, count]) => sum + count, 0)
    if (total === 0) return ok(`Every row of ${table} has a place in the order.`)
    const isCut = lanes.some(([, count]) => count > laneMaxRows)
    const shown = lanes.map(
      ([lane, count]) =>
        `${amount(Math.min(count, laneMaxRows))}${count > laneMaxRows ? ' and more' : ''} ${lane}`,
    )
    const least = lanes.reduce((sum, [, count]) => sum + Math.min(count, laneMaxRows), 0)
    return {
      severity: total > laneMaxRows ? 'blocker' : 'warning',
      sentence: `${isCut ? 'At least ' : ''}${rows(least)} ${least === 1 ? 'has' : 'have'} no place in the order (${shown.join(', ')}); no reader by position ever sees them.`,
      remedy: remedy(context, counts),
      figures: {
        ...Object.fromEntries(lanes.map(([lane, count]) => [lane, String(count)])),
        ...Object.fromEntries(forms.map(({ form, rowCount }) => [`form ${form}`, String(rowCount)])),
      },
    }
  })
}

function remedy({ order, shape, engine }: TableContext, counts: LaneFigures['counts']): string {
  const [table, c] = [quoteTable(shape.table), quoteIdentifier(order.column)]
  if ((counts.malformed ?? 0) > 0 && engine === 'sqlite') {
    return `SELECT typeof(${c}), length(${c}), count(*), min(${c}) FROM ${table} GROUP BY 1, 2;   -- bring them to one form`
  }
  if ((counts.null ?? 0) > 0 && engine === 'postgres') {
    const now = order.kind === 'timestamptz' ? 'now()' : '<value>'
    return `UPDATE ${table} SET ${c} = ${now} WHERE ${c} IS NULL; ALTER TABLE ${table} ALTER COLUMN ${c} SET NOT NULL;`
  }
  return `SELECT * FROM ${table} WHERE ${c} IS NULL OR ${c} <= (SELECT min(${c}) FROM ${table}) LIMIT 100;   -- correct these`
}
