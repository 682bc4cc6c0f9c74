import type { LandingMode } from '../destinations/destination.ts'
import type { DoctorCheck } from '../kernel/doctor-checks.ts'
import type { Mechanism } from '../kernel/finding.ts'
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
  /** What becomes of rows that are gone at the source, once two looks agree (assurance A27). */
  readonly deletes: DeleteMode
  /** Mechanisms whose confirmed findings an audit repairs by itself (assurance A33). */
  readonly autoRepair: readonly Mechanism[]
  readonly onDestinationWentBack: 'stop' | 'rewind'
  readonly onTimelineChange: 'stop' | { readonly rewindUs: bigint }
  /** Checks of `doctor` whose risk a person took (assurance A41); absent for none. */
  readonly accept?: readonly AcceptedCheck[]
}

/** A check that is accepted by name. */
export interface AcceptedCheck {
  readonly check: DoctorCheck
  readonly reason: string
  readonly date: string
}

export interface Limits extends CheckLimits, AlarmLimits {
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

/** When silence or delay is an alarm (assurance A59); without a period nobody knows when a run is due. */
export interface AlarmLimits {
  /** From one run to the next. `follow` says its own; absent, no run is ever overdue. */
  readonly everyMs?: number
  /** Three periods. */
  readonly stallAfterMs?: number
  /** Six periods. */
  readonly lagMaxMs?: number
  /** Off. */
  readonly idleMaxMs?: number
  /** From one audit or reconcile to the next. Off. */
  readonly auditEveryMs?: number
}

export type DeleteMode = 'report' | 'remove' | 'mark'

/** Limits of everything that checks (assurance, section 12). */
export interface CheckLimits {
  readonly checkQueryMaxMs: number
  readonly secondLookMs: number
  readonly secondLookMaxMs: number
  readonly auditWindowMs: number
  readonly auditSnapshotMaxMs: number
  readonly reconcileMaxAgeMs: number
  readonly samplerMs: number
  readonly doctorQueryMaxMs: number
  readonly listMaxRows: number
  readonly openKeysMax: number
  readonly drillMaxRows: number
  readonly fullAuditMaxRows: number
  readonly receiptCheckMaxRows: number
  readonly deleteMaxRows: number
  readonly repairMaxRows: number
  readonly repairMaxRangeRows: number
  readonly autoRepairMaxRows: number
  readonly latenessRowsPerRun: number
  readonly latenessLossRows: number
}

const DEFAULT_CHECKS: CheckLimits = {
  checkQueryMaxMs: 30_000,
  secondLookMs: 60_000,
  secondLookMaxMs: 600_000,
  auditWindowMs: 35 * 86_400_000,
  auditSnapshotMaxMs: 60_000,
  reconcileMaxAgeMs: 86_400_000,
  samplerMs: 10_000,
  doctorQueryMaxMs: 10_000,
  listMaxRows: 10_000,
  openKeysMax: 1_000_000,
  drillMaxRows: 1_000_000,
  fullAuditMaxRows: 10_000_000,
  receiptCheckMaxRows: 100_000,
  deleteMaxRows: 10_000,
  repairMaxRows: 10_000,
  repairMaxRangeRows: 1_000_000,
  autoRepairMaxRows: 100,
  latenessRowsPerRun: 10_000,
  latenessLossRows: 0.001,
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
  ...DEFAULT_CHECKS,
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
