import type { Receipt } from '../destinations/destination.ts'
import type { Fence } from '../kernel/fence.ts'
import type { Lane } from '../kernel/lane.ts'
import type { Outcome } from '../kernel/outcome.ts'
import type { Position } from '../kernel/position.ts'
import type { Range } from '../kernel/range.ts'

/** What a run tells while it works; progress, logs and tests listen. */
export type ExtractEvent =
  | { readonly kind: 'run_opened'; readonly stream: string; readonly runId: string; readonly runKind: string }
  | { readonly kind: 'chosen'; readonly stream: string; readonly what: string }
  | { readonly kind: 'fence'; readonly stream: string; readonly fence: Fence }
  | {
      readonly kind: 'range'
      readonly stream: string
      readonly range: Range
      readonly expectedRows: number | undefined
    }
  /** What has come of a slice since the last such event, before it has landed. */
  | { readonly kind: 'bytes'; readonly stream: string; readonly byteSize: number }
  | {
      readonly kind: 'slice_landed'
      readonly stream: string
      readonly range: Range
      readonly receipt: Receipt
      readonly watermark: Position | undefined
    }
  | { readonly kind: 'lane_landed'; readonly stream: string; readonly lane: Lane; readonly rowCount: number }
  | { readonly kind: 'alarm'; readonly stream: string; readonly name: string; readonly text: string }
  | { readonly kind: 'retry'; readonly stream: string; readonly attempt: number; readonly reason: string }
  | {
      readonly kind: 'run_closed'
      readonly stream: string
      readonly runId: string
      readonly outcome: Outcome
    }
