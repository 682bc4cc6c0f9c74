import { PlimsollError } from '../kernel/errors.ts'
import type { Measured } from '../kernel/forecast/empirical-law.ts'
import type { TieCensus } from '../kernel/forecast/ties.ts'
import type { Lane } from '../kernel/lane.ts'
import type { PositionOrder } from '../kernel/order.ts'
import type { TableRef, TableShape } from './source.ts'

/**
 * What `doctor` looks at before anything goes wrong (spec A41 to A45): facts, each as the source has it, without a
 * judgement. Nothing is written at the source, and each figure is bounded by `queryMaxMs` on its own.
 */

/** A figure, or why it could not be looked at: that is never "nothing found" (spec A2). */
export type Looked<Figure> =
  | { readonly found: Figure }
  | { readonly notLooked: string; readonly hint: string | undefined }

/**
 * A figure, or the expected failure that stood in its way, as a reason (spec A2, A41). A query cut at its limit is one of
 * them. Everything else is thrown.
 */
export async function looked<Figure>(
  queryMaxMs: number,
  work: () => Promise<Figure>,
): Promise<Looked<Figure>> {
  try {
    return { found: await work() }
  } catch (error) {
    if (!(error instanceof PlimsollError)) throw error
    if (error.code !== 'SOURCE_QUERY_TOO_LONG') return { notLooked: error.message, hint: error.hint }
    return {
      notLooked: `the query took longer than ${queryMaxMs} ms`,
      hint: 'Set doctorQueryMax to more, or let the source read from a replica (replicaUrl).',
    }
  }
}

export interface DiagnosisLimits {
  readonly queryMaxMs: number
  readonly lockTimeoutMs: number
}

/** What is asked about one table. */
export interface TableDiagnosisRequest extends DiagnosisLimits {
  readonly shape: TableShape
  readonly order: PositionOrder
  /** False: the order's zone is a stand-in for one that nobody declared, so positions are not compared with a clock. */
  readonly zoneKnown: boolean
  readonly key: readonly string[]
  /** The column that tells who wrote a row, where one looks like it (lie L6). */
  readonly writer: string | undefined
  /** A row written later than this after its stamp was given an old date; less is ordinary lateness (spec A20). */
  readonly ceilingUs: bigint
  readonly futureToleranceUs: bigint
  /** Recent rows: those of the last day, and no more than this many. */
  readonly windowRows: number
  /** Rows of a lane are counted this far. */
  readonly laneMaxRows: number
}

/** Each figure of one table; `undefined` inside stands for a question that makes no sense here. */
export interface TableDiagnosis {
  readonly window: Looked<WindowFigures>
  readonly lateness: Looked<LatenessFigures | undefined>
  readonly movers: Looked<readonly MoverFigures[]>
  readonly ties: Looked<TieFigures>
  readonly backdatedByCommit: Looked<BackdatedFigures | undefined>
  readonly backdatedByKey: Looked<BackdatedFigures | undefined>
  readonly future: Looked<FutureFigures | undefined>
  readonly ahead: Looked<readonly AheadFigures[] | undefined>
  readonly wallTime: Looked<WallTimeFigures | undefined>
  readonly lanes: Looked<LaneFigures>
  readonly deletes: Looked<DeleteFigures | undefined>
  readonly cascades: Looked<readonly CascadeFigures[]>
  readonly roundTrip: Looked<RoundTripFigures | undefined>
  readonly reach: Looked<ReachFigures | undefined>
}

/** The rows that say how the table is written at present: of the last day, or the last ones where there are none. */
export interface WindowFigures {
  readonly rowCount: number
  readonly isLastDay: boolean
  /** How long the window is, and its busiest minute (load-forecast L3); absent for counters. */
  readonly seconds: number | undefined
  readonly busiestMinuteRows: number | undefined
}

/** L1. How long after its stamp a row became visible, or what stands in for it. */
export type LatenessFigures =
  | {
      readonly way: 'commit_times'
      readonly sampleCount: number
      readonly p99Us: bigint
      readonly p999Us: bigint
      readonly maxUs: bigint
      /** All of the sample, in groups a hundredth wide. */
      readonly measured: readonly Measured[]
    }
  | { readonly way: 'open_transactions'; readonly openCount: number; readonly oldestUs: bigint }
  | { readonly way: 'write_lock'; readonly waitedUs: bigint; readonly released: boolean }

/** L2. Something in the database that sets the position when a row changes. */
export interface MoverFigures {
  readonly name: string
  /** `replica`: fires only where changes are replayed; `some`: not at every change. */
  readonly fires: 'always' | 'origin' | 'replica' | 'never' | 'some'
}

/** L3. Census of equal positions in the window. */
export interface TieFigures extends TieCensus {
  readonly step: string
}

/** L4. Rows that are older than what was written before them. */
export interface BackdatedFigures {
  readonly count: number
  readonly atLeast: boolean
  readonly latest:
    | { readonly key: readonly string[]; readonly position: string; readonly written: string }
    | undefined
}

/** L5. */
export interface FutureFigures {
  readonly count: number
  readonly infiniteCount: number
  readonly furthest: string | undefined
}

/** L6. A writer whose stamps lie ahead of the database's clock. */
export interface AheadFigures {
  readonly writer: string | undefined
  readonly aheadUs: bigint
}

/** L7. A position without a zone. */
export interface WallTimeFigures {
  readonly nativeType: string
  /** How far the newest rows are from UTC; absent for a quiet or empty table, which proves nothing. */
  readonly quarterHours: number | undefined
  readonly fold: FoldFigures | undefined
}

/** The hour that the declared zone repeated last, and how many rows lie in it. */
export interface FoldFigures {
  readonly hour: string
  readonly date: string
  readonly rowCount: number
}

/** L8. Rows in each lane but `future` and `infinity`, counted up to the limit, then one more. */
export interface LaneFigures {
  readonly counts: Readonly<Partial<Record<Lane, number>>>
  /** How values are stored, most frequent first, where a column may hold several kinds. */
  readonly forms: readonly { readonly form: string; readonly rowCount: number }[]
}

/** L10. */
export interface DeleteFigures {
  readonly count: number
  /** When counting began; absent where nobody knows. */
  readonly since: string | undefined
  /** Deletes counted by the server, or keys that are no longer there. */
  readonly way: 'statistics' | 'missing_keys'
}

/** L12. A foreign key that carries changes of a key on. */
export interface CascadeFigures {
  readonly constraint: string
  readonly other: string
  /** `followed_by`: the other table follows this one's key; `follows`: this one's key follows the other's. */
  readonly direction: 'followed_by' | 'follows'
}

/** L13. The largest position, read and sent back. */
export interface RoundTripFigures {
  readonly sent: string
  readonly rowCount: number
}

/** L14. */
export interface FilterFigures {
  readonly how: 'whole' | 'view' | 'materialized_view' | 'policy'
  /** Names of the policies that apply. */
  readonly policies: readonly string[]
}

/** Whether the table may be read, and as a whole. */
export interface TableAccess {
  readonly filter: FilterFigures
  readonly rights: TableRights
}

/** A44. */
export interface TableRights {
  readonly mayRead: boolean
  /** What would give it. */
  readonly grants: readonly string[]
}

/** A45. How far back the table itself reaches. */
export interface ReachFigures {
  readonly oldest: string
  readonly oldestUs: bigint
  /** The source's clock, as the position's own moments count. */
  readonly nowUs: bigint
  /** Partitioned by the position: an old partition can be dropped as a whole. */
  readonly isPartitioned: boolean
}

export interface SourceDiagnosisRequest extends DiagnosisLimits {
  readonly tables: readonly TableRef[]
  /** Our own clock, to compare the source's with it; it decides nothing. */
  readonly nowMs: () => number
  /** How long the replica's delay is watched. */
  readonly watchMs: number
  readonly sleep: (ms: number) => Promise<void>
}

/** What holds for every table of the source. */
export interface SourceDiagnosis {
  /** Of each table asked for, in that order: told by the schema, so that it is known of what cannot be read. */
  readonly access: readonly Looked<TableAccess>[]
  readonly clock: Looked<ClockFigures>
  /** Absent where a server has no list of sessions. */
  readonly sessions: Looked<SessionFigures | undefined>
  /** Where rows are read: the replica, or the source itself. */
  readonly replica: Looked<ReplicaFigures>
  /** Absent where no log is kept. */
  readonly archive: Looked<{ readonly mode: string } | undefined>
}

export interface ClockFigures {
  /** The source's clock at the last look, µs since 1970. */
  readonly nowUs: bigint
  /** The source's clock minus ours, the best of five round trips, and half of that one. */
  readonly offsetUs: bigint
  readonly errorUs: bigint
  /** How far it stepped back while it was looked at. */
  readonly steppedBackUs: bigint
}

/** E25: sessions of which it cannot be seen whether they have a transaction open. */
export interface SessionFigures {
  readonly role: string
  /** The role may see what all sessions do. */
  readonly seesAll: boolean
  readonly hidden: number
  readonly untracked: number
  readonly untrackedRoles: readonly string[]
}

export interface ReplicaFigures {
  /** `none`: the source is a primary, and rows come from it. `unlinked`: it is a standby itself. */
  readonly kind: 'none' | 'linked' | 'unlinked'
  readonly behindBytes: number
  /** How much further behind it is after `watchMs`. */
  readonly growthBytes: number
  /** How long a query may hold up the replay before it is cancelled; absent for any time. */
  readonly conflictDelayMs: number | undefined
  readonly feedback: boolean
  readonly cancelledCount: number
}
