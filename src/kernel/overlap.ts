import { isTimeLike } from './moment.ts'
import type { PositionOrder } from './order.ts'
import type { ProofLevel } from './proof.ts'

/** Amounts are µs for time-like orders, counts otherwise. */
export type OverlapPolicy =
  | { readonly kind: 'fixed'; readonly amount: bigint }
  | { readonly kind: 'learned'; readonly quantile: number; readonly min: bigint; readonly max: bigint }

/** What has been measured outside the overlap (commit timestamps, audits) in the last 14 days. */
export interface LatenessMeasure {
  readonly sampleCount: number
  readonly quantileValue: bigint
  /** The loss integral's margin (assurance A38); 0 when not computed. */
  readonly lossMargin: bigint
}

export interface Overlap {
  readonly amount: bigint
  /** For the record and for people, e.g. `fixed`, `default: 0 of 2995 measurements`. */
  readonly origin: string
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
  return { amount: amount + extra, origin: extra > 0n ? `${base.origin}, widened by ${extra}` : base.origin }
}

function baseOverlap(
  order: PositionOrder,
  policy: OverlapPolicy | undefined,
  measured: LatenessMeasure | undefined,
): Overlap {
  if (policy === undefined) return { amount: defaultOverlap(order), origin: 'default' }
  if (policy.kind === 'fixed') return { amount: policy.amount, origin: 'fixed' }
  const count = measured?.sampleCount ?? 0
  if (!measured || count < MIN_LATENESS_SAMPLES) {
    const amount = clamp(defaultOverlap(order), policy.min, policy.max)
    return { amount, origin: `default: ${count} of ${MIN_LATENESS_SAMPLES} measurements` }
  }
  const wanted = measured.quantileValue > measured.lossMargin ? measured.quantileValue : measured.lossMargin
  return {
    amount: roundUp(clamp(wanted, policy.min, policy.max), order.grain, policy.max),
    origin: `learned: p${policy.quantile * 100} of ${count}`,
  }
}

const clamp = (value: bigint, min: bigint, max: bigint): bigint =>
  value < min ? min : value > max ? max : value

function roundUp(value: bigint, grain: bigint, max: bigint): bigint {
  const up = ((value + grain - 1n) / grain) * grain
  return up > max ? max : up
}
