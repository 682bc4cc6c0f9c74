import type { StoredClaim, TargetTable } from '../destinations/destination.ts'
import type { Coverage } from '../kernel/coverage.ts'
import type { ServerIdentity, TableShape } from '../sources/source.ts'
import type { Choice } from './choose.ts'
import type { Engine } from './engine.ts'
import type { ClaimFacts } from './facts.ts'
import type { HeldLease } from './lease.ts'
import type { StreamMemory } from './progress-state.ts'
import type { RunRecorder } from './record.ts'
import type { StreamSettings } from './settings.ts'

/**
 * One stream while a run works on it. `claim`, `memory` and `coverage` are replaced after every landing, from its
 * receipt; everything else stands for the run.
 */
export interface StreamSession {
  readonly engine: Engine
  readonly settings: StreamSettings
  readonly lease: HeldLease
  readonly recorder: RunRecorder
  readonly runId: string
  readonly identity: ServerIdentity
  readonly destinationId: string
  readonly shape: TableShape
  readonly choice: Choice
  readonly table: TargetTable
  readonly claimAtStart: StoredClaim
  /** The watermark when this attempt began: rows below it are judged against the destination (spec E41). */
  classBelow: StoredClaim['watermark']
  /** False in a generation's first run: rows below the watermark say nothing about lateness there (spec E41). */
  readonly judgesLateness: boolean
  /** The source's clock as the claim has it, when nobody else remembers it: compared once (spec E23). */
  clockBefore: string | undefined
  claim: StoredClaim
  facts: ClaimFacts
  memory: StreamMemory
  coverage: Coverage
  /** How often a slice met the query limit in this run: slices are halved that often (spec E49). */
  halvings: number
}
