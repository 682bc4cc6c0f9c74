import type { Mechanism } from '../../kernel/finding.ts'
import type { Pass } from '../passes.ts'

/** What is known of one lost or stale row. Absent figures were not to be had; moments are µs since 1970. */
export interface RowEvidence {
  /** The instant of the row's position; undefined for counters and rows without a place. */
  readonly positionUs: bigint | undefined
  readonly committedUs: bigint | undefined
  /** The last run that read a range with the position (r̂). */
  readonly pass: Pass | undefined
  /** The position shares its grain with the upper bound of that run's range. */
  readonly sharesGrain: boolean
  /** The largest lateness measured in 14 days, and C of spec A20. */
  readonly largestLatenessUs: bigint | undefined
  readonly ceilingUs: bigint
  /** What the sampler knows of the moment of r̂'s snapshot: was this row's own transaction open? */
  readonly wasOpen: 'seen' | 'not_seen' | 'unknown'
  /** Without a gap, the sampler saw no transaction as old as this row's lateness. */
  readonly nobodyAsOld: boolean
  /** State of the ledger's range that holds the position. */
  readonly rangeState: 'landed' | 'hole' | 'decreed' | 'unknown'
  /** When an earlier check found the key, or its range's sums, equal. */
  readonly foundEqualUs: bigint | undefined
  readonly wasInLane: boolean
  /** The server that r̂ read had not replayed its fence's log position. */
  readonly replicaWasBehind: boolean
}

export interface Attribution {
  readonly mechanism: Mechanism
  readonly grade: 'shown' | 'suggested' | 'none'
  /** All that merely fit, when nothing was shown. */
  readonly suggestions: readonly Mechanism[]
}

type Test = (row: RowEvidence) => 'shown' | 'suggested' | undefined

/** One mechanism a row, from its own evidence: the first line that is shown wins (spec A18, load-forecast L37). */
export function attribute(row: RowEvidence): Attribution {
  const suggestions: Mechanism[] = []
  for (const [mechanism, test] of LINES) {
    const grade = test(row)
    if (grade === 'shown') return { mechanism, grade, suggestions: [] }
    if (grade === 'suggested') suggestions.push(mechanism)
  }
  return { mechanism: 'unknown', grade: suggestions.length > 0 ? 'suggested' : 'none', suggestions }
}

const LINES: readonly (readonly [Mechanism, Test])[] = [
  ['hole', (row) => (row.rangeState === 'hole' ? 'shown' : undefined)],
  ['decree', (row) => (row.rangeState === 'decreed' ? 'shown' : undefined)],
  ['destination_loss', destinationLoss],
  ['lane', (row) => (row.wasInLane ? 'shown' : undefined)],
  ['late_commit', lateCommit],
  ['backdated', backdated],
  ['replica_lag', replicaLag],
  ['tie', tie],
]

function destinationLoss({ foundEqualUs, committedUs }: RowEvidence): ReturnType<Test> {
  if (foundEqualUs === undefined) return undefined
  if (committedUs === undefined) return 'suggested'
  return committedUs <= foundEqualUs ? 'shown' : undefined
}

/** Committed after the run had looked, and no later than transactions here are known to be. */
function lateCommit(row: RowEvidence): ReturnType<Test> {
  const lateness = latenessAfterPass(row)
  if (row.wasOpen === 'seen') return 'shown'
  if (lateness === undefined) return undefined
  if (row.largestLatenessUs !== undefined && lateness <= row.largestLatenessUs) return 'shown'
  return lateness <= row.ceilingUs ? 'suggested' : undefined
}

/** Committed after the run had looked, with a date that no transaction here is late enough to explain. */
function backdated(row: RowEvidence): ReturnType<Test> {
  const lateness = latenessAfterPass(row)
  if (lateness === undefined) return undefined
  return lateness > row.ceilingUs || row.nobodyAsOld ? 'shown' : undefined
}

function replicaLag(row: RowEvidence): ReturnType<Test> {
  if (!wasThere(row)) return undefined
  return row.replicaWasBehind ? 'shown' : undefined
}

function tie(row: RowEvidence): ReturnType<Test> {
  return row.sharesGrain && wasThere(row) ? 'shown' : undefined
}

/** committed − position of a row that became visible after the run that passed it had looked. */
function latenessAfterPass({ committedUs, positionUs, pass }: RowEvidence): bigint | undefined {
  if (committedUs === undefined || positionUs === undefined || pass?.snapshotUs === undefined)
    return undefined
  return committedUs > pass.snapshotUs ? committedUs - positionUs : undefined
}

function wasThere({ committedUs, pass }: RowEvidence): boolean {
  return committedUs !== undefined && pass?.snapshotUs !== undefined && committedUs <= pass.snapshotUs
}
