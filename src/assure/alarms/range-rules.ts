import { orderFromJson } from '../../extract/facts.ts'
import { memoryCoverage } from '../../extract/progress-state.ts'
import type { RecordView } from '../../extract/record-view.ts'
import { formatTimestampUs } from '../../kernel/calendar.ts'
import { positionFromCanonical } from '../../kernel/fingerprint/position-text.ts'
import { comparePositions, positionFromJson } from '../../kernel/position.ts'
import { formatPosition } from '../../kernel/print.ts'
import { type AlarmJudge, cleanCheckSince, endedUs, RESOLVE } from './alarm-facts.ts'

const AUDIT_INTERVALS = 2n

/** Below the watermark something was skipped by a person (spec E14). */
const rangeHole: AlarmJudge = ({ memory }) => {
  const holes = memory ? memoryCoverage(memory).filter(({ state }) => state === 'hole') : []
  if (holes.length === 0) return memory ? RESOLVE : undefined
  const [first] = holes
  const text = `${holes.length} ranges were skipped, the first from ${formatPosition(first?.lower)} to ${formatPosition(first?.upper)}`
  return { kind: 'raise', text, evidence: String(first?.upper.value) }
}

const fenceDecreed: AlarmJudge = ({ memory }, open) =>
  open && memory && memory.debts.length === 0 ? RESOLVE : undefined

/** A clean look at everything, or at least from the bill's beginning on. */
const decreeBilled: AlarmJudge = (facts, open) => {
  const check = open && cleanCheckSince(facts, open)
  const order = facts.runs.find((run) => run.order)?.order
  if (!check || !order || !open.evidence.startsWith('{')) return undefined
  const { from } = check as RecordView & { readonly from?: string | null }
  if (from === null || from === undefined) return RESOLVE
  const { lower } = JSON.parse(open.evidence) as { readonly lower: string }
  const begin = positionFromCanonical(orderFromJson(order), from)
  return begin && comparePositions(begin, positionFromJson({ kind: begin.kind, value: lower })) <= 0
    ? RESOLVE
    : undefined
}

/** A lane that was read whole again: it is empty, or a larger `laneMaxRows` has accepted it (spec E44). */
const laneGrowing: AlarmJudge = ({ runs, settings }, open) => {
  const last = open && runs.find((run) => run.lanes !== undefined && endedUs(run) > open.raisedUs)
  if (!last || last.error || !open.evidence.startsWith('{')) return undefined
  const { lane, limit } = JSON.parse(open.evidence) as { readonly lane: string; readonly limit: number }
  const receipt = last.lanes?.[lane]
  const isAccepted =
    settings.limits.laneMaxRows > limit && Number(receipt?.rowsRead) < settings.limits.laneMaxRows
  return !receipt || isAccepted ? RESOLVE : undefined
}

/** No check has completed within twice its interval; one that could not look leaves no record. */
const auditOverdue: AlarmJudge = ({ checks, first, settings, nowUs }, open) => {
  const [last] = checks
  if (open && last && endedUs(last) > open.raisedUs) return RESOLVE
  const { auditEveryMs } = settings.limits
  const since = last ?? first
  if (auditEveryMs === undefined || !since) return undefined
  if (nowUs - endedUs(since) <= AUDIT_INTERVALS * BigInt(Math.round(auditEveryMs * 1000))) return undefined
  const when = formatTimestampUs(endedUs(since), 'Z').replace(/\.\d+/, '')
  const text = last
    ? `no check has completed since ${when}`
    : `nothing has been checked since the first run, ${when}`
  return { kind: 'raise', text, evidence: String(endedUs(since)) }
}

export const RANGE_RULES: Readonly<Record<string, AlarmJudge>> = {
  range_hole: rangeHole,
  fence_decreed: fenceDecreed,
  decree_billed: decreeBilled,
  lane_growing: laneGrowing,
  audit_overdue: auditOverdue,
}
