import type { PreviewedRow } from '../../assure/repair/preview.ts'
import type { RepairAnswer } from '../../assure/repair/repair-asked.ts'
import { positionFromCanonical } from '../../kernel/fingerprint/position-text.ts'
import type { PositionOrder } from '../../kernel/order.ts'
import { formatPosition } from '../../kernel/print.ts'
import type { Colour } from './colour.ts'
import { plural } from './quantity.ts'
import { renderTable } from './table.ts'

const ROWS_SHOWN = 20
const ACTIONS = ['insert', 'update', 'remove', 'leave'] as const

/** What a repair did, or would do, row by row with old and new position (spec A29). */
export function renderRepair(answer: RepairAnswer, colour: Colour): string {
  const { repaired, stillOpen } = answer
  const counts = ACTIONS.map(
    (action) => [action, answer.rows.filter((row) => row.action === action).length] as const,
  )
  const said = counts.filter(([, count]) => count > 0).map(([action, count]) => `${action} ${count}`)
  const head = repaired
    ? `${stillOpen.length === 0 ? colour.green('✓') : colour.red('✗')} ${colour.bold(answer.stream)}  repaired by run ${repaired.runId}: ${plural(repaired.counts.rows_read, 'row')} landed, ${repaired.removed} removed, ${plural(answer.closedFindings, 'finding')} closed`
    : `${colour.bold(answer.stream)}  would ${said.join(', ') || 'do nothing'}`
  const rows = answer.rows
    .slice(0, ROWS_SHOWN)
    .map((row) => [
      row.action,
      shown(row),
      at(answer.order, row.oldPosition),
      at(answer.order, row.newPosition),
    ])
  const more = answer.rows.length > ROWS_SHOWN ? `\n  and ${answer.rows.length - ROWS_SHOWN} more` : ''
  const notes = [
    ...(answer.notRemoved === undefined
      ? []
      : [`  nothing is removed: ${answer.notRemoved}; --deletes remove or mark says otherwise`]),
    ...(repaired && stillOpen.length > 0 ? [`  ${plural(stillOpen.length, 'row')} still not alike`] : []),
    ...(repaired || answer.stillOpen.length === 0 ? [] : ['  nothing was written; add --apply to do it']),
  ]
  const table =
    rows.length === 0
      ? []
      : [indent(renderTable(['action', 'key', 'position there', 'position at the source'], rows)) + more]
  return [head, ...table, ...notes].join('\n')
}

const shown = ({ keyText }: PreviewedRow): string => keyText.replaceAll(/(^|;)v\d+:/g, '$1')

/** A canonical position as people read it; one without a place in the order as it is. */
function at(order: PositionOrder, text: string | null): string {
  if (text === null) return '-'
  const position = positionFromCanonical(order, text)
  return position ? formatPosition(position) : text
}

const indent = (text: string): string => text.replaceAll(/^/gm, '  ')

export function repairToJson(answer: RepairAnswer): Readonly<Record<string, unknown>> {
  return {
    stream: answer.stream,
    applied: answer.repaired !== undefined,
    run_id: answer.repaired?.runId ?? null,
    rows: answer.rows.map(rowToJson),
    counts: answer.repaired?.counts ?? null,
    removed: answer.repaired?.removed ?? 0,
    not_removed: answer.notRemoved ?? null,
    still_open: answer.stillOpen.map(rowToJson),
    closed_findings: answer.closedFindings,
  }
}

const rowToJson = (row: PreviewedRow): Readonly<Record<string, unknown>> => ({
  key_text: row.keyText,
  action: row.action,
  old_position: row.oldPosition,
  new_position: row.newPosition,
})
