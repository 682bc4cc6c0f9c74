import { orderFromJson } from '../../extract/facts.ts'
import type { RecordView } from '../../extract/record-view.ts'
import { formatTimestampUs, US_PER_DAY, US_PER_HOUR } from '../../kernel/calendar.ts'
import { completeThrough } from '../../kernel/completeness.ts'
import { isTimeLike } from '../../kernel/moment.ts'
import { positionFromJson } from '../../kernel/position.ts'
import { type AlarmFacts, type AlarmJudge, endedUs, hasMoved, isGood, RESOLVE } from './alarm-facts.ts'

const PAGE_AFTER_FAILURES = 3
const OVERDUE_PERIODS = 3n
const STALL_PERIODS = 3n
const LAG_PERIODS = 6n

/** The last run failed; a page after three in a row. */
const runFailing: AlarmJudge = ({ runs }) => {
  const [last] = runs
  if (!last) return undefined
  if (isGood(last)) return RESOLVE
  if (!hasFailed(last)) return undefined
  const good = runs.findIndex((run) => !hasFailed(run))
  const failed = good < 0 ? runs : runs.slice(0, good)
  const since = at(BigInt(failed.at(-1)?.opened_us ?? '0'))
  const why = last.error ? `${last.error.code}: ${last.error.message}` : 'the run died'
  return {
    kind: 'raise',
    text: `failing since ${since}, ${failed.length} ${failed.length === 1 ? 'run' : 'runs'}: ${why}`,
    evidence: last.error?.code ?? 'DIED',
    level: failed.length >= PAGE_AFTER_FAILURES ? 'page' : 'notice',
  }
}

const hasFailed = ({ error, outcome }: RecordView): boolean => error !== undefined || outcome === 'abandoned'

/** None has ended within three periods, and none is at work. */
const runOverdue: AlarmJudge = ({ runs, everyUs, nowUs, isRunning }, open) => {
  const [last] = runs
  if (!last || (open && isGood(last) && endedUs(last) > open.raisedUs)) return RESOLVE
  if (everyUs === undefined || isRunning || nowUs - endedUs(last) <= OVERDUE_PERIODS * everyUs)
    return undefined
  return {
    kind: 'raise',
    text: `no run has ended since ${at(endedUs(last))}`,
    evidence: String(endedUs(last)),
  }
}

/** The claim has not become later for `stallAfter`, though runs are due. */
const watermarkStalled: AlarmJudge = (facts, open) => {
  const { runs, everyUs, nowUs, settings } = facts
  const moved = runs.find((run, i) => hasMoved(run, runs[i + 1]))
  if (open && moved && endedUs(moved) > open.raisedUs) return RESOLVE
  const stallUs = limitUs(settings.limits.stallAfterMs, everyUs, STALL_PERIODS)
  const since = moved ?? runs.at(-1)
  // That no run comes at all is told by run_overdue.
  if (stallUs === undefined || !since || since === runs[0]) return undefined
  if (nowUs - endedUs(since) <= stallUs + grainUs(facts)) return undefined
  return { kind: 'raise', text: `stands since ${at(endedUs(since))}`, evidence: String(endedUs(since)) }
}

/** The watermark lags by more than `lagMax`, and the lag does not shrink from run to run. */
const watermarkLate: AlarmJudge = (facts, open) => {
  const { runs, everyUs, settings, nowUs } = facts
  const lagMaxUs = limitUs(settings.limits.lagMaxMs, everyUs, LAG_PERIODS)
  const claimed = runs.filter(
    ({ complete_through }) => complete_through !== undefined && complete_through !== null,
  )
  const [last, before] = claimed
  if (lagMaxUs === undefined || !last) return undefined
  const allowed = lagMaxUs + grainUs(facts)
  const [lag, lagBefore] = [lagUs(last), before && lagUs(before)]
  const isBelow = (run: RecordView | undefined, us: bigint | undefined): boolean =>
    run !== undefined &&
    us !== undefined &&
    us <= allowed &&
    open !== undefined &&
    endedUs(run) > open.raisedUs
  if (open && isBelow(last, lag) && isBelow(before, lagBefore)) return RESOLVE
  const isNowLate = nowUs - BigInt(last.complete_through!) > allowed
  const catchesUp = lagBefore !== undefined && lag < lagBefore
  if (!isNowLate || lag <= allowed || catchesUp) return undefined
  const through = at(BigInt(last.complete_through!))
  return {
    kind: 'raise',
    text: `complete through ${through} only, and not catching up`,
    evidence: String(lag),
  }
}

/** By the source's clock at the fence, where the record has it. */
function lagUs(run: RecordView): bigint {
  const t0 = run.fence?.t0
  return (t0 ? BigInt(t0) : endedUs(run)) - BigInt(run.complete_through!)
}

/** The watermark moves, and nothing newer than `idleMax` has been written. */
const sourceIdle: AlarmJudge = (facts, open) => {
  const { idleMaxMs } = facts.settings.limits
  const looked = facts.runs.find(({ newest, order }) => newest && order)
  if (idleMaxMs === undefined || !looked?.newest || !looked.order) return open ? RESOLVE : undefined
  const us = completeThrough(orderFromJson(looked.order), positionFromJson(looked.newest), [])
  if (us === undefined) return undefined
  const isIdle = facts.nowUs - us > BigInt(idleMaxMs) * 1000n
  if (!isIdle) return open && looked.newest.value !== open.evidence ? RESOLVE : undefined
  if (!isGood(looked)) return undefined
  return { kind: 'raise', text: `the newest row is dated ${at(us)}`, evidence: looked.newest.value }
}

/** A time that a stream says itself, or so many of its periods. */
function limitUs(ms: number | undefined, everyUs: bigint | undefined, periods: bigint): bigint | undefined {
  if (ms !== undefined) return BigInt(Math.round(ms * 1000))
  return everyUs === undefined ? undefined : everyUs * periods
}

/** A bound moves in steps of the grain: until the next one it stands by right. A day may have an hour more. */
function grainUs({ runs }: AlarmFacts): bigint {
  const json = runs.find(({ order }) => order)?.order
  if (!json) return 0n
  const order = orderFromJson(json)
  if (!isTimeLike(order)) return 0n
  return order.grain >= US_PER_DAY ? order.grain + US_PER_HOUR : order.grain
}

const at = (us: bigint): string => formatTimestampUs(us, 'Z').replace(/\.\d+/, '')

export const RUN_RULES: Readonly<Record<string, AlarmJudge>> = {
  run_failing: runFailing,
  run_overdue: runOverdue,
  watermark_stalled: watermarkStalled,
  watermark_late: watermarkLate,
  source_idle: sourceIdle,
}
