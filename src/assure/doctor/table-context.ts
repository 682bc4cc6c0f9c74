import type { FenceMethod } from '../../kernel/fence.ts'
import type { PositionOrder } from '../../kernel/order.ts'
import type { ServerIdentity, TableShape } from '../../sources/source.ts'

/** What is known of a table besides its figures: from the configuration, the catalog, the claim, or by default. */
export interface TableContext {
  /** As a person writes it. */
  readonly table: string
  /** Named in commands; undefined where no configuration names the table. */
  readonly stream: string | undefined
  readonly engine: ServerIdentity['engine']
  readonly shape: TableShape
  readonly order: PositionOrder
  /** False: nobody declared the zone, and nothing in the database tells it. */
  readonly zoneKnown: boolean
  readonly key: readonly string[]
  readonly keyEnforced: boolean
  readonly appendOnly: boolean
  readonly nullKeys: 'refuse' | 'match'
  /** In the order's units. */
  readonly overlap: bigint
  readonly method: FenceMethod | 'auto'
  readonly guardUs: bigint
  readonly laneMaxRows: number
  readonly fullScanMaxRows: number
  readonly latenessLossRows: number
  readonly futureToleranceUs: bigint
  /** Of the runs there were, else an hour. */
  readonly periodSeconds: number
  /** When everything was compared last, days ago; undefined for never. */
  readonly reconciledDaysAgo: number | undefined
  readonly claim: ClaimContext | undefined
  /** The oldest position at earlier times, the earliest of 35 days; undefined where none is remembered. */
  readonly oldestBefore: { readonly oldestUs: bigint; readonly daysAgo: number } | undefined
}

/** What a claim says of the source of then. */
export interface ClaimContext {
  /** How far the watermark is behind the source's clock; undefined for counters. */
  readonly lagUs: bigint | undefined
  /** Another system or an older state answers (lie L11). */
  readonly wentBack: { readonly before: string; readonly now: string; readonly why: string } | undefined
  /** The source's clock at the last fence, µs. */
  readonly t0Us: bigint | undefined
}
