import type { LandingMode } from '../destinations/destination.ts'
import type { OverlapPolicy } from '../kernel/overlap.ts'
import type { FencePolicy, OrderDeclaration, TableRef } from '../sources/source.ts'

/** What a stream is told to do: configuration or command line, with every default filled in (spec section 15). */
export interface StreamSettings {
  /** `schema.table` at the destination: the name in claims, messages and the catalog's display. */
  readonly stream: string
  /** Unique over pipelines: the catalog's name for the stream. */
  readonly catalogKey: string
  readonly table: TableRef
  readonly target: TableRef
  readonly mode: LandingMode
  readonly key: readonly string[] | undefined
  readonly position: OrderDeclaration | undefined
  readonly nullKeys: 'refuse' | 'match'
  readonly appendOnly: boolean
  readonly asText: readonly string[]
  readonly overlap: OverlapPolicy | undefined
  /** Undefined: on for `date` positions only (spec E16). */
  readonly peek: boolean | undefined
  readonly fence: FencePolicy
  readonly limits: Limits
  readonly onDestinationWentBack: 'stop' | 'rewind'
  readonly onTimelineChange: 'stop' | { readonly rewindUs: bigint }
}

export interface Limits {
  readonly holdAlarmMs: number
  readonly futureToleranceMs: number
  readonly laneMaxRows: number
  readonly pageRows: number
  readonly sliceRows: number
  readonly fullScanMaxRows: number
  readonly queryMaxMs: number
  readonly lockTimeoutMs: number
  readonly replicaWaitMs: number
  readonly failoverOverlapMs: number
  readonly leaseMs: number
  readonly retries: number
  readonly retryDelayMs: number
  readonly retryTotalMs: number
  /** A snapshot is read for at most this long, so that a first load does not hold back the source's vacuum. */
  readonly snapshotMaxMs: number
}

export const DEFAULT_FENCE: FencePolicy = {
  method: 'auto',
  guardMs: 1_000,
  fenceSampleMs: 1_000,
  fenceFreshMs: 10_000,
  fenceWaitMs: 30_000,
  holdMaxMs: 3_600_000,
  settleMs: 30_000,
  busyWaitMs: 5_000,
  excludeRoles: [],
  appendOnly: false,
}

export const DEFAULT_LIMITS: Limits = {
  holdAlarmMs: 300_000,
  futureToleranceMs: 5_000,
  laneMaxRows: 10_000,
  pageRows: 10_000,
  sliceRows: 250_000,
  fullScanMaxRows: 100_000,
  queryMaxMs: 120_000,
  lockTimeoutMs: 5_000,
  replicaWaitMs: 60_000,
  failoverOverlapMs: 600_000,
  leaseMs: 30_000,
  retries: 5,
  retryDelayMs: 500,
  retryTotalMs: 600_000,
  snapshotMaxMs: 600_000,
}
