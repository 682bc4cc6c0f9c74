import type { PlimsollError } from '../kernel/errors.ts'
import type { Outcome } from '../kernel/outcome.ts'
import type { Position } from '../kernel/position.ts'
import type { ProofLevel } from '../kernel/proof.ts'
import type { Range } from '../kernel/range.ts'
import type { RunCounts } from './receipts.ts'

/** How one run of one stream ended. `error` stands beside what was landed before it. */
export interface StreamResult {
  readonly stream: string
  readonly runId: string | undefined
  /** `failed`: nothing was landed and `error` says why. */
  readonly outcome: Outcome | 'failed'
  readonly generation: number
  readonly watermarkBefore: Position | undefined
  readonly watermarkAfter: Position | undefined
  readonly proof: ProofLevel
  readonly proofReason: string
  /** Why the watermark stood, in words; undefined when it moved. */
  readonly heldBecause: string | undefined
  /** Who binds the fence, though the watermark may have moved; undefined when nobody does. */
  readonly fenceBoundBy: string | undefined
  readonly counts: RunCounts
  /** Rows delivered from lanes, peek and bills, by name; not part of `counts`. */
  readonly laneRows: Readonly<Record<string, number>>
  readonly peekRows: number
  readonly billRows: number
  /** The largest position at the source, in or above the range; undefined when it was not looked up. */
  readonly newest: Position | undefined
  readonly newestKnown: boolean
  /** What the next run will stop at, with its remedy; a first load may read without an index. */
  readonly obstacleAhead: string | undefined
  /** µs text: the source's clock minus the watermark, and minus the newest position; undefined for counters. */
  readonly watermarkLagUs: string | undefined
  readonly eventTimeLagUs: string | undefined
  readonly overlap: { readonly amount: string; readonly origin: string } | undefined
  readonly durationMs: number
  readonly said: readonly string[]
  readonly alarms: readonly { readonly name: string; readonly text: string }[]
  readonly error: PlimsollError | undefined
}

/** What a run would do, found without changing anything. */
export interface StreamPlan {
  readonly stream: string
  readonly said: readonly string[]
  readonly claim:
    | { readonly generation: number; readonly watermark: Position | undefined; readonly proof: ProofLevel }
    | undefined
  readonly fence: Readonly<Record<string, unknown>> | undefined
  readonly overlap: { readonly amount: string; readonly origin: string } | undefined
  readonly range: Range | undefined
  /** Borders between slices, as printed positions; empty for one slice. Capped at 1000. */
  readonly sliceBorders: readonly Position[]
  readonly sql: readonly string[]
  readonly expectedRows: number | undefined
  /** What would stop the run, each with its remedy. */
  readonly obstacles: readonly {
    readonly code: string
    readonly message: string
    readonly hint: string | undefined
  }[]
}
