/** Settings that are durations: `guard: 1s` or `guardMs: 1000` (spec section 15). */
export const FENCE_DURATIONS = [
  'guard',
  'fenceSample',
  'fenceFresh',
  'fenceWait',
  'holdMax',
  'settle',
  'busyWait',
] as const

export const LIMIT_DURATIONS = [
  'holdAlarm',
  'futureTolerance',
  'queryMax',
  'lockTimeout',
  'replicaWait',
  'failoverOverlap',
  'lease',
  'retryDelay',
  'retryTotal',
  'snapshotMax',
  'checkQueryMax',
  'secondLook',
  'secondLookMax',
  'auditWindow',
  'auditSnapshotMax',
  'reconcileMaxAge',
  'sampler',
  'doctorQueryMax',
  'every',
  'stallAfter',
  'lagMax',
  'idleMax',
  'auditEvery',
] as const

/** Settings that are counts; those of at least 1. */
export const LIMIT_COUNTS = [
  'laneMaxRows',
  'pageRows',
  'sliceRows',
  'fullScanMaxRows',
  'retries',
  'listMaxRows',
  'openKeysMax',
  'drillMaxRows',
  'fullAuditMaxRows',
  'receiptCheckMaxRows',
  'deleteMaxRows',
  'repairMaxRows',
  'repairMaxRangeRows',
  'autoRepairMaxRows',
  'latenessRowsPerRun',
] as const

export const FENCE_METHODS = ['auto', 'P1', 'P2', 'P3', 'N1', 'S1', 'settle'] as const

export type FenceDuration = `${(typeof FENCE_DURATIONS)[number]}Ms`
export type LimitName =
  | `${(typeof LIMIT_DURATIONS)[number]}Ms`
  | (typeof LIMIT_COUNTS)[number]
  | 'latenessLossRows'
