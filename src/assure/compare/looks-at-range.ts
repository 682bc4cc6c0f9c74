import { orderFromJson } from '../../extract/facts.ts'
import type { RecordView } from '../../extract/record-view.ts'
import { positionFromCanonical } from '../../kernel/fingerprint/position-text.ts'
import { comparePositions, positionFromJson } from '../../kernel/position.ts'

/** Whether a record is of a check that looked at all that a run has read, and was not cut (spec A13, A59). */
export function looksAtRange(check: RecordView, run: RecordView): boolean {
  if ((check.kind !== 'audit' && check.kind !== 'reconcile') || check.at_least === '1') return false
  const { from = null, settled_before: settled } = check
  if (settled === undefined) return true
  if (!run.order || !run.range) return from === null
  const order = orderFromJson(run.order)
  const upper = positionFromCanonical(order, settled)
  // Rows of the overlap are compared one by one: none at risk, none missing below the watermark.
  const isWhole = upper !== undefined && comparePositions(upper, positionFromJson(run.range.upper)) >= 0
  if (!isWhole && check.counts?.at_risk !== 0) return false
  if (from === null) return true
  const lower = positionFromCanonical(order, from)
  const begin = run.range.lower && positionFromJson(run.range.lower)
  return lower !== undefined && begin !== null && comparePositions(lower, begin) <= 0
}
