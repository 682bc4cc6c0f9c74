import { empiricalLaw } from '../../../kernel/forecast/empirical-law.ts'
import { samplesNeeded } from '../../../kernel/forecast/evidence.ts'
import { lostByDataMark } from '../../../kernel/forecast/late-commits.ts'
import type { LatenessLaw } from '../../../kernel/forecast/law.ts'
import { marginForLoss } from '../../../kernel/forecast/margin.ts'
import type { LatenessFigures, Looked, WindowFigures } from '../../../sources/diagnosis.ts'
import { type Check, judge, type Verdict } from '../check.ts'
import type { TableContext } from '../table-context.ts'
import { amount, duration, figure, rows, setting } from '../words.ts'
import { noClock } from './no-clock.ts'

/** L1: rows are stamped before they can be seen. The forecast is that of a reader of the largest position (E₃). */
export function visibleLate(
  context: TableContext,
  lateness: Looked<LatenessFigures | undefined>,
  window: Looked<WindowFigures>,
): Check {
  return judge('L1', lateness, (figures) => {
    if (figures === undefined) return noClock(context)
    if (figures.way === 'open_transactions') return withoutCommitTimes(context, figures)
    if (figures.way === 'write_lock') return byWriteLock(context, figures)
    const busiest = 'found' in window ? (window.found.busiestMinuteRows ?? 0) : 0
    return byCommitTimes(context, figures, busiest / 60)
  })
}

type Kept = Extract<LatenessFigures, { way: 'commit_times' }>

function byCommitTimes(context: TableContext, figures: Kept, rate: number): Verdict {
  const { table, order, overlap, periodSeconds, latenessLossRows } = context
  const { sampleCount, p99Us, p999Us, maxUs } = figures
  const law = empiricalLaw(figures.measured)
  if (!law) {
    return {
      severity: 'note',
      sentence: `How late rows of ${table} become visible is not known: 0 rows of the recent ones have a commit time.`,
      remedy: undefined,
      figures: { sample_count: '0' },
    }
  }
  const loss = lostByDataMark(rate, law, 0, periodSeconds)
  const tailUs = sampleCount >= samplesNeeded(0.999) ? p999Us : maxUs
  const p99 = quantile(sampleCount, 0.99, p99Us)
  return {
    severity: tailUs * 2n > overlap ? 'warning' : 'note',
    sentence:
      `Rows of ${table} become visible up to ${duration(maxUs)} after their stamp (p99 ${p99}, ${rows(sampleCount)}). ` +
      `The fence covers this; a reader of max(${order.column}) would lose about ${figure(loss)} rows a run.`,
    remedy: `overlap: { fixed: ${overlapFor(rate, law, latenessLossRows)} }   # only where no fence is taken`,
    figures: {
      sample_count: String(sampleCount),
      p99_us: String(p99Us),
      max_us: String(maxUs),
      expected_loss: figure(loss),
    },
  }
}

const quantile = (count: number, share: number, us: bigint): string =>
  count >= samplesNeeded(share) ? duration(us) : `not enough: ${amount(count)} of ${samplesNeeded(share)}`

/** A margin that loses less than the rows asked for, never below a second. */
function overlapFor(rate: number, law: LatenessLaw, loss: number): string {
  const seconds = marginForLoss(rate, law, loss)
  return setting(BigInt(Math.ceil(Math.max(1, seconds))) * 1_000_000n)
}

function withoutCommitTimes(
  { table, order }: TableContext,
  { openCount, oldestUs }: Extract<LatenessFigures, { way: 'open_transactions' }>,
): Verdict {
  const open =
    openCount === 0
      ? 'no other transaction is open now'
      : `${amount(openCount)} ${openCount === 1 ? 'transaction is' : 'transactions are'} open now, the oldest for ${duration(oldestUs)}`
  return {
    severity: 'note',
    sentence:
      `How late rows of ${table} become visible is not kept: 0 rows with a commit time, ${open}. ` +
      `The fence covers this; what a reader of max(${order.column}) would lose cannot be said.`,
    remedy: 'ALTER SYSTEM SET track_commit_timestamp = on;   -- takes a restart',
    figures: { sample_count: '0', open_count: String(openCount), oldest_us: String(oldestUs) },
  }
}

function byWriteLock(
  { table, order }: TableContext,
  { waitedUs, released }: Extract<LatenessFigures, { way: 'write_lock' }>,
): Verdict {
  return {
    severity: 'note',
    sentence:
      `Rows of ${table} become visible up to ${duration(waitedUs)}${released ? '' : ' and more'} after their stamp ` +
      `(p99 not enough: 1 of ${samplesNeeded(0.99)}, 1 look at the write lock). ` +
      `The fence covers this; what a reader of max(${order.column}) would lose cannot be said.`,
    remedy: undefined,
    figures: { sample_count: '1', max_us: String(waitedUs) },
  }
}
