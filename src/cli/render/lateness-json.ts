import type { LevelReport, Quantile } from '../../assure/lateness/level-report.ts'
import type { LatenessReport } from '../../assure/lateness/report.ts'
import { measuredSeconds, sketchCount } from '../../assure/lateness/sketch.ts'

/** The report as data: seconds and rows as numbers, `null` where nothing was measured. */
export function latenessToJson(report: LatenessReport): Readonly<Record<string, unknown>> {
  const { commit, lateRows, open, beyondMax } = report
  return {
    stream: report.stream,
    depth_unit: report.unit,
    overlap_seconds: report.overlapSeconds ?? null,
    overlap_origin: report.overlapOrigin,
    settle_seconds: report.settleSeconds,
    proof: report.proof,
    period_seconds: report.periodSeconds ?? null,
    loss_rows_wanted: report.lossRows,
    commit: {
      count: sketchCount(commit.sketch),
      ahead_count: commit.ahead,
      most_ahead_seconds: commit.mostAhead / 1e6,
      backdated_count: commit.backdated,
      distribution: measuredSeconds(commit.sketch),
    },
    late_rows: {
      count: sketchCount(lateRows.sketch),
      deepest: lateRows.deepest,
      deepest_share: lateRows.deepestShare,
    },
    open_writers: { look_count: open.looks, older_than_margin: open.olderThanMargin ?? null },
    levels: report.levels.map(levelToJson),
    load_exponent: report.loadExponent ?? null,
    margins: report.nines.map(({ loss, margin }) => ({ loss_rows: loss, margin_seconds: margin })),
    beyond_max: beyondMax
      ? {
          loss_rows_wanted: beyondMax.lossWanted,
          margin_seconds: finite(beyondMax.marginWanted),
          max_seconds: beyondMax.max,
          loss_rows_at_max: finite(beyondMax.lossAtMax),
        }
      : null,
    families: report.families.map(({ name, margin }) => ({ name, margin_seconds: finite(margin) })),
    failure: report.failure ?? null,
  }
}

function levelToJson(level: LevelReport): Readonly<Record<string, unknown>> {
  return {
    level: level.level,
    rows_per_second: level.rate,
    count: level.count,
    median_seconds: quantileToJson(level.median),
    p99_seconds: quantileToJson(level.p99),
    p999_seconds: quantileToJson(level.p999),
    deepest_late: level.deepest,
    deepest_late_share: level.deepestShare,
    losses: level.losses.map(({ share, perRun, perYear }) => ({
      share_of_margin: share,
      rows_per_run: perRun,
      rows_per_year: perYear,
    })),
    measured_at_level: level.measuredAt ?? null,
    rows_per_run_under_fence: level.underFence,
  }
}

/** A quantile without its samples is no number (load-forecast L24). */
const quantileToJson = (quantile: Quantile): unknown =>
  quantile.kind === 'known'
    ? quantile.seconds
    : { not_enough: { count: quantile.count, needed: quantile.needed } }

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null)
