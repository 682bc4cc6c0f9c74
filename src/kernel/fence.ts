import type { Position, PositionJson } from './position.ts'
import type { ProofLevel } from './proof.ts'

export type FenceMethod = 'P1' | 'P2' | 'P3' | 'N1' | 'S1' | 'settle'

/** Somebody who could still write below the fence, or who was left out of it. */
export interface Witness {
  /** Stable while the transaction lives: `pid/backend start/transaction start`, a virtual id, `xid/gid`. */
  readonly key: string
  /** No row of this writer can carry a smaller position. Text of µs since 1970 (P1, P2) or of a counter (N1, P3). */
  readonly bound?: string
  readonly pid?: number
  readonly user?: string
  readonly application?: string
  readonly client?: string
  readonly state?: string
  /** At least so old; of who was there before the first look, what passed since then. */
  readonly transactionAgeUs?: string
  readonly queryStart?: string
}

/** A blocker that was passed over after `holdMax` (spec E38): a debt until it is gone (E39). */
export interface Decree {
  readonly key: string
  /** The blocker's bound, as a position of the stream: the bill is read from here. */
  readonly bound: PositionJson
  readonly blocker: Witness
}

/**
 * The upper bound a source vouches for (spec E17). `value` is absent when no bound can be given yet; `heldBecause`
 * then says why.
 */
export interface Fence {
  readonly method: FenceMethod
  readonly value: Position | undefined
  /** The source's clock at the sample: text of µs since 1970, or empty where the source has no clock. */
  readonly t0: string
  readonly guardUs: string
  /**
   * Orders that count: the next value there was to give at `t0`, or one above it. Everything numbered before `t0` is
   * below it, committed or not (assurance A55).
   */
  readonly nextValue?: string
  readonly proof: ProofLevel
  /** The level of what lies below every decree in force; absent without one (spec E38, E39). */
  readonly proofBelowDecrees?: ProofLevel
  /** Why the level is not higher, in words for a person. */
  readonly proofReason: string
  /** At most 20, the binding one first. */
  readonly witnesses: readonly Witness[]
  readonly prepared: readonly Witness[]
  readonly excluded: readonly Witness[]
  /** Every decree this fence relies on, new and outstanding. */
  readonly decrees: readonly Decree[]
  /** Keys of outstanding decrees whose blocker is gone: their bill is due. */
  readonly settledDecrees: readonly string[]
  readonly logPosition: LogPosition | undefined
  readonly sampleCount: number
  readonly waitedUs: string
  readonly heldBecause: string | undefined
  /** µs the source's clock stepped back beyond the guard since the last sample, as text; `0` normally (spec E23). */
  readonly clockStepUs: string
  /** Position units; coarser than the order's grain when the column's recent values show it (spec E5). */
  readonly grain: string
}

/** A place in a server's log. `text` is comparable only by the server kind that made it. */
export interface LogPosition {
  readonly timeline: string
  readonly text: string
}
