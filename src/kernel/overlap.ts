import { isTimeLike } from './moment.ts'
import type { PositionOrder } from './order.ts'
import type { ProofLevel } from './proof.ts'

/** Amounts are µs for time-like orders, counts otherwise. */
export type OverlapPolicy =
  | { readonly kind: 'fixed'; readonly amount: bigint }
  | { readonly kind: 'learned'; readonly quantile: number; readonly min: bigint; readonly max: bigint }

/** What 14 days say of lateness; amounts in overlap units (spec E40, assurance A38). */
export interface LatenessMeasure {
  /** Measured outside the overlap: commit timestamps, audits. */
  readonly sampleCount: number
  readonly quantileValue: bigint
  /** The loss integral's margin (assurance A38); 0 when not computed. */
  readonly lossMargin: bigint
  /** What late rows ask for: they never show what lies deeper than the overlap, so they may only raise (A34). */
  readonly lateRows?: bigint
  /** The largest overlap wanted in the last 7 days, before clamping: it shrinks only after 7 days of less (E40). */
  readonly wantedBefore?: bigint
}

/** Which of the numbers made a learned overlap what it is (assurance A38). */
export type OverlapRuler = 'default' | 'quantile' | 'loss' | 'late_rows' | 'last_7_days' | 'min' | 'max'

/** How a learned overlap came about: both numbers, how many measurements, which one ruled (assurance A38). */
export interface LearnedOverlap {
  readonly ruler: OverlapRuler
  readonly quantile: number
  readonly quantileValue: bigint
  readonly lossMargin: bigint
  readonly sampleCount: number
  /** Before clamping and the memory of 7 days. */
  readonly wanted: bigint
}

export interface Overlap {
  readonly amount: bigint
  /** For the record and for people, e.g. `fixed`, `default: 0 of 2995 measurements`. */
  readonly origin: string
  readonly learned?: LearnedOverlap
}

/** Enough for a p99.9 at 95 % confidence (spec E19). */
export const MIN_LATENESS_SAMPLES = 2_995

/** The overlap when nothing is declared (spec section 15). */
export function defaultOverlap(order: PositionOrder): bigint {
  if (order.kind === 'xid8') return 0n
  if (order.kind === 'date') return 86_400_000_000n
  return isTimeLike(order) ? 300_000_000n : 10_000n
}

/**
 * How far below the watermark the next run reads (spec E40). Without enough measurements a learned policy falls back
 * to the default, clamped. `extra` widens it once: a coarser grain (E5), a clock step (E23), a failover (E66). Below one
 * grain only under a `proven` fence.
 */
export function decideOverlap(
  order: PositionOrder,
  policy: OverlapPolicy | undefined,
  proof: ProofLevel,
  measured: LatenessMeasure | undefined,
  extra: bigint,
): Overlap {
  const base = baseOverlap(order, policy, measured)
  const floor = proof === 'proven' || order.kind === 'xid8' ? 0n : order.grain
  const amount = base.amount < floor ? floor : base.amount
  const origin = extra > 0n ? `${base.origin}, widened by ${extra}` : base.origin
  return { ...base, amount: amount + extra, origin }
}

/**
 * Whether lateness is measured well enough for the proof level `measured` (spec E19): enough measurements from outside
 * the overlap, and their p99.9 within what is waited and read again.
 */
export function isLatenessMeasured(
  measured: { readonly sampleCount: number; readonly p999: bigint } | undefined,
  settle: bigint,
  overlap: bigint,
): boolean {
  return (
    measured !== undefined &&
    measured.sampleCount >= MIN_LATENESS_SAMPLES &&
    measured.p999 <= settle + overlap
  )
}

function baseOverlap(
  order: PositionOrder,
  policy: OverlapPolicy | undefined,
  measured: LatenessMeasure | undefined,
): Overlap {
  if (policy === undefined) return { amount: defaultOverlap(order), origin: 'default' }
  if (policy.kind === 'fixed') return { amount: policy.amount, origin: 'fixed' }
  const { min, max, quantile } = policy
  const sampleCount = measured?.sampleCount ?? 0
  const { wanted, ruler: first } = wantedOverlap(order, measured)
  const before = measured?.wantedBefore ?? 0n
  const remembered = before > wanted ? before : wanted
  const amount = roundUp(clamp(remembered, min, max), order.grain, max)
  const ruler: OverlapRuler =
    remembered > max ? 'max' : remembered < min ? 'min' : before > wanted ? 'last_7_days' : first
  const learned: LearnedOverlap = {
    ruler,
    quantile,
    quantileValue: measured?.quantileValue ?? 0n,
    lossMargin: measured?.lossMargin ?? 0n,
    sampleCount,
    wanted,
  }
  return { amount, origin: originOf(order, learned), learned }
}

/** The larger of quantile and loss margin; the default without enough measurements; late rows may raise either. */
function wantedOverlap(
  order: PositionOrder,
  measured: LatenessMeasure | undefined,
): { readonly wanted: bigint; readonly ruler: OverlapRuler } {
  const asked: [OverlapRuler, bigint][] =
    measured && measured.sampleCount >= MIN_LATENESS_SAMPLES
      ? [
          ['quantile', measured.quantileValue],
          ['loss', measured.lossMargin],
        ]
      : [['default', defaultOverlap(order)]]
  asked.push(['late_rows', measured?.lateRows ?? 0n])
  const [ruler, wanted] = asked.reduce((most, each) => (each[1] > most[1] ? each : most))
  return { wanted, ruler }
}

function originOf(order: PositionOrder, learned: LearnedOverlap): string {
  const { ruler, quantile, quantileValue, lossMargin, sampleCount } = learned
  if (sampleCount < MIN_LATENESS_SAMPLES) {
    const why = ruler === 'late_rows' || ruler === 'last_7_days' ? `${RULERS[ruler]}; ` : ''
    return `${why}default: ${sampleCount} of ${MIN_LATENESS_SAMPLES} measurements`
  }
  const amount = (value: bigint): string => (isTimeLike(order) ? `${Number(value) / 1e6} s` : String(value))
  const figures = `p${quantile * 100} ${amount(quantileValue)}, loss margin ${amount(lossMargin)}`
  return `learned: ${figures} of ${sampleCount} measurements; ${RULERS[ruler]} rules`
}

const RULERS: Readonly<Record<OverlapRuler, string>> = {
  default: 'the default',
  quantile: 'the quantile',
  loss: 'the loss margin',
  late_rows: 'the deepest late row',
  last_7_days: 'what the last 7 days needed',
  min: 'min',
  max: 'max',
}

const clamp = (value: bigint, min: bigint, max: bigint): bigint =>
  value < min ? min : value > max ? max : value

function roundUp(value: bigint, grain: bigint, max: bigint): bigint {
  const up = ((value + grain - 1n) / grain) * grain
  return up > max ? max : up
}
