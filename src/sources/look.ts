import type { LogPosition } from '../kernel/fence.ts'
import type { ComparisonPlan, LookScope, WordKind, WordSum } from '../kernel/fingerprint/comparison.ts'
import type { PositionOrder } from '../kernel/order.ts'
import type { Position } from '../kernel/position.ts'
import type { TableShape } from './source.ts'

/** One row as a comparison sees it. All texts are canonical (spec F10). */
export interface LookedRow {
  /** The canonical texts of the key columns joined by `;`. Equal on both sides for the same key. */
  readonly keyText: string
  /** Lower-case hex digest of `keyText`: the bucket is its beginning, and rows come in its order. */
  readonly keyDigest: string
  /** `N` or `z…` for rows without a place in the order. */
  readonly position: string
  readonly word: bigint
}

/** A row looked up by its key, with every compared column. */
export interface FoundRow extends LookedRow {
  /** Canonical text of each column of the plan, in its order. */
  readonly texts: readonly string[]
  /** When the present version was committed, µs since 1970, where the server keeps it (spec A18). */
  readonly committedUs?: string
  /** The transaction that wrote the present version, where there are such. */
  readonly transaction?: string
}

/** Some rows of a scope: those of some buckets (`digits` hex digits long), or all. */
export interface BucketPick {
  readonly digits: number
  readonly buckets: ReadonlySet<string>
}

/**
 * One read-only snapshot of one table on one side, for checks (spec A5, A6). Writes nothing that outlives it. Every
 * query is bounded by `queryMaxMs`; a cut or failed one throws, and is never an answer (F9). Always close it.
 */
export interface Look {
  /** What the snapshot is called, and where the server's log stood. */
  readonly snapshotId: string
  readonly logPosition: LogPosition | undefined
  /** The server's clock when the snapshot was taken, µs since 1970. */
  readonly takenUs: string
  /** Sums by bucket in one scan (spec F28); buckets without rows are absent. */
  sums(scope: LookScope, word: WordKind, digits: number): Promise<ReadonlyMap<string, WordSum>>
  /** Rows in the order of `keyDigest`, then `keyText`, in batches; memory does not grow with their number (spec F29). */
  rows(scope: LookScope, word: WordKind, pick?: BucketPick): AsyncIterable<readonly LookedRow[]>
  /** Rows by key, also those of no bucket and no scope; more than one for a key that stands twice. At most 1,000 keys. */
  find(keyTexts: readonly string[], word: WordKind): Promise<readonly FoundRow[]>
  /** Leaves rows of these keys out of later `ordered` sums and rows of this look (spec A9). Replaces earlier ones. */
  leaveOut(keyTexts: readonly string[]): Promise<void>
  /** Keys that stand more than once, at most `limit`; only at a destination that does not enforce the key (spec F31). */
  duplicates?(limit: number): Promise<readonly string[]>
  /** Positions that part the table into about so many windows of like size; fewer, or none, where nothing tells. */
  borders?(windowCount: number): Promise<readonly Position[]>
  close(): Promise<void>
}

export interface LookLimits {
  readonly queryMaxMs: number
  readonly lockTimeoutMs: number
}

/** What a look needs of a snapshot that is open. */
export interface SnapshotLookRequest {
  readonly shape: TableShape
  readonly plan: ComparisonPlan
  readonly order: PositionOrder
  readonly asText: readonly string[]
  readonly queryMaxMs: number
}

/** For the source's side: waits for the replica as a reader does (spec E29, E30). */
export interface SourceLookRequest extends LookLimits, SnapshotLookRequest {
  readonly after: LogPosition | undefined
  readonly replicaWaitMs: number
}
