import type { Catalog } from '../catalog/catalog.ts'
import type { Destination } from '../destinations/destination.ts'
import type { ReachFailpoint } from '../kernel/failpoint.ts'
import type { Source } from '../sources/source.ts'
import type { ExtractEvent } from './events.ts'
import type { LatenessWatch } from './lateness-watch.ts'
import type { StreamSettings } from './settings.ts'

/** Time as the engine sees it: for durations and waits only; never decides what is read (spec E23). */
export interface EngineClock {
  nowMs(): number
  sleep(ms: number): Promise<void>
}

/** A deliberate mistake, switched on by the simulation to prove that it would be found. Never set elsewhere. */
export const MISTAKES = [
  'fence_after_snapshot',
  'claim_largest_read',
  'closed_upper_bound',
  'prepared_ignored',
  'claim_before_rows',
  'replica_without_waiting',
] as const
export type Mistake = (typeof MISTAKES)[number]

/** Everything a run needs from outside; the engine opens nothing itself. */
export interface Engine {
  readonly source: Source
  readonly destination: Destination
  readonly catalog: Catalog
  readonly clock: EngineClock
  readonly reach: ReachFailpoint
  readonly emit: (event: ExtractEvent) => void
  /** Who holds leases: host and pid with something unique to the process. */
  readonly holder: { readonly name: string; readonly host: string; readonly pid: number }
  readonly newRunId: () => string
  /** SHA-256 in hex. */
  readonly digest: (text: string) => string
  readonly programVersion: string
  readonly configHash: string
  readonly lateness?: LatenessWatch
  /** Throws STOPPED_BY_DOCTOR where the last look at the source found what no run may start with (assurance A41). */
  readonly mayRun?: (settings: StreamSettings) => Promise<void>
  /** The source is a staging copy that a rehearsal may load: its records say so (assurance A49). */
  readonly rehearsal?: boolean
  readonly mistake?: Mistake
  /** Stops between slices when aborted. */
  readonly signal?: AbortSignal
}
