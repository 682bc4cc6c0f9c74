import type { Claim } from '../kernel/claim.ts'
import type { ComparisonPlan } from '../kernel/fingerprint/comparison.ts'
import type { PositionOrder } from '../kernel/order.ts'
import type { Position, PositionJson } from '../kernel/position.ts'
import type { ProofLevel } from '../kernel/proof.ts'
import type { Range } from '../kernel/range.ts'
import type { Look, LookLimits } from '../sources/look.ts'
import type { ColumnShape, ConnectorContext, RowStream, TableRef, WireFormat } from '../sources/source.ts'

/** Every promise a destination makes; the conformance suite tests exactly these. */
export interface DestinationCapabilities {
  readonly transactionalClaim: boolean
  readonly formats: readonly WireFormat[]
  readonly modes: readonly LandingMode[]
  /** `openLook` computes sums beside the data. Without it the method throws. */
  readonly pushdownFingerprint: boolean
}

export type LandingMode = 'upsert' | 'history'

/** The claim as it lies beside the data: enough to go on when the catalog is lost (spec E61). */
export interface StoredClaim extends Claim {
  /** The lease epoch that may write; older ones are refused (spec E63). */
  readonly epoch: number
  /** Largest readSeq used so far. */
  readonly readSeq: number
  /** Batch id of the last landing that moved or confirmed this claim. */
  readonly batch: string | undefined
  /**
   * At most 3 keys landed last, as JSON arrays of texts: must still be there (spec E60). `land` writes them from the
   * rows it landed (and keeps the old ones when there were none); what the caller passes in `claimAfter` is ignored.
   */
  readonly tailKeys: readonly string[]
  /** Canonical JSON: source identity, schema, order, key, mode, generation cause and parent. Opaque here. */
  readonly facts: string
}

/** What the table at the destination is made from. */
export interface TargetTable {
  readonly stream: string
  readonly target: TableRef
  readonly columns: readonly ColumnShape[]
  /** Empty with `appendOnly`. */
  readonly key: readonly string[]
  readonly order: PositionOrder
  readonly mode: LandingMode
  readonly nullKeys: 'refuse' | 'match'
  /** No key: the landed range is replaced (spec E55). */
  readonly appendOnly: boolean
  readonly asText: readonly string[]
}

export type Prepared =
  | { readonly kind: 'created' | 'unchanged' }
  | { readonly kind: 'columns_added'; readonly columns: readonly string[] }

/** One transaction's worth: rows, and the claim that becomes true with them. */
export interface Landing {
  readonly table: TargetTable
  readonly rows: RowStream
  /** `run`: may move the claim. The others land rows and leave the watermark alone. */
  readonly purpose: 'run' | 'lane' | 'peek' | 'backfill' | 'bill' | 'repair'
  readonly range: Range | undefined
  readonly batchId: string
  readonly readSeq: number
  readonly epoch: number
  /** What must stand in the claim row now; otherwise LEASE_FENCED_OUT (epoch) or InvariantError (watermark). */
  readonly claimBefore: StoredClaim
  /**
   * What stands there afterwards. For other purposes than `run`: same watermark, new readSeq and batch. Its tailKeys are
   * the destination's to fill: it alone sees the keys; they are replaced when rows landed and kept otherwise.
   */
  readonly claimAfter: StoredClaim
  /**
   * The caller knows that no row of this landing exists in the target (empty target, keys unique in one snapshot):
   * rows may be written without comparing. False when in doubt.
   */
  readonly known: 'nothing_there' | 'anything'
  /** Rows are classed against this (spec E41): below it late, reprocessed, …; at or above fresh. Undefined: all fresh. */
  readonly classBelow: Position | undefined
}

/** For checks: what stands at the target, in history mode the newest version of each key that is not a tombstone. */
export interface TargetLookRequest extends LookLimits {
  readonly table: TargetTable
  readonly plan: ComparisonPlan
}

/** Rows that are no longer at the source (spec A27): deleted here, or kept and marked with `_plimsoll_deleted_at`. */
export interface Removal {
  readonly table: TargetTable
  /** Canonical key texts of the plan (spec F4), at most 10,000. */
  readonly keyTexts: readonly string[]
  readonly plan: ComparisonPlan
  readonly mode: 'remove' | 'mark'
  readonly batchId: string
  readonly readSeq: number
  readonly epoch: number
  /** As in a landing: what must stand, and what stands afterwards; the watermark is the same in both. */
  readonly claimBefore: StoredClaim
  readonly claimAfter: StoredClaim
}

/** How the rows of a landing stood against the destination before the merge (spec E41); they sum to rowsRead. */
export interface RowClasses {
  readonly fresh: number
  readonly late: number
  readonly reprocessed: number
  readonly samePosition: number
  readonly regressed: number
}

export interface LateRow {
  readonly key: readonly string[]
  readonly position: PositionJson
}

/** Proof that a landing is durable (spec E58). */
export interface Receipt {
  readonly batchId: string
  readonly stream: string
  readonly generation: number
  readonly readSeq: number
  readonly rowsRead: number
  readonly byteSize: number
  readonly inserted: number
  readonly updated: number
  readonly unchanged: number
  readonly classes: RowClasses
  /** At most 1000, deepest first. */
  readonly lateRows: readonly LateRow[]
  /** Order-free, over keys and positions, text. */
  readonly checksum: string
  readonly durability: 'committed' | 'acknowledged'
  readonly claimBefore: PositionJson | null
  readonly claimAfter: PositionJson | null
  readonly destinationId: string
  readonly stageMs: number
  readonly mergeMs: number
  readonly commitMs: number
}

/** A row of `plimsoll_watermarks` (spec A56): the claim for people who have SQL only. Instants are µs as text. */
export interface WatermarkRow {
  readonly pipeline: string
  readonly stream: string
  readonly generation: number
  /** As people read it; `-∞` before the first range. */
  readonly watermark: string
  readonly completeThroughUs: string | null
  readonly proof: ProofLevel
  readonly fenceTakenUs: string | null
  readonly overlapUs: string | null
  readonly lostRowCount: number
  readonly decreeCount: number
  readonly heldBy: string | null
  readonly recordHash: string | null
}

/** What runs, audits, decrees and repairs say of a stream; absent members stay as they are. */
export type CompletenessNote = Partial<
  Pick<WatermarkRow, 'lostRowCount' | 'decreeCount' | 'heldBy' | 'recordHash'>
>

export interface Destination {
  readonly capabilities: DestinationCapabilities
  /** Stable identity of the store, kept beside the data, so that a swapped or restored one is noticed. */
  identity(): Promise<{ id: string; engine: string; version: string }>
  claim(stream: string): Promise<StoredClaim | undefined>
  /** Every table that stands there, ours and others': a rehearsal lands where nothing else does (assurance A49). */
  tables?(): Promise<readonly TableRef[]>
  /** All claims beside the data, for `status` without a catalog. */
  claims(): Promise<readonly StoredClaim[]>
  /**
   * Creates the table, or adds missing columns. Throws DESTINATION_NOT_OURS when a table with rows but without claim
   * stands there, DESTINATION_TABLE_MISMATCH when its columns cannot take the source's, TYPE_NOT_SUPPORTED.
   */
  prepare(table: TargetTable, claim: StoredClaim | undefined): Promise<Prepared>
  /** Writes the claim row (first claim, raised epoch, new generation). Refuses an older epoch: LEASE_FENCED_OUT. */
  writeClaim(claim: StoredClaim, expected: StoredClaim | undefined): Promise<void>
  /** Stage, count, merge, claim: one transaction, idempotent (spec E53–E58). */
  land(landing: Landing): Promise<Receipt>
  /**
   * The receipt of a landing whose commit reply was lost, when its batch is the last one in the claim row (spec E59);
   * undefined when it did not commit. Reconnects, locks the claim row and so waits for the old transaction. The receipt
   * is therefore kept in the claim row, written in the landing's own transaction.
   */
  receiptOf(stream: string, batchId: string): Promise<Receipt | undefined>
  /** Whether at least one of these keys is in the target; for no keys, whether the target is there. */
  hasAnyKey(table: TargetTable, keys: readonly string[]): Promise<boolean>
  /** A snapshot for checks, with the claim that stands in the same snapshot (spec A6). */
  openLook(
    request: TargetLookRequest,
  ): Promise<{ readonly look: Look; readonly claim: StoredClaim | undefined }>
  /** Removes or marks rows and writes the claim, in one transaction; returns how many rows were there (spec A27). */
  remove(removal: Removal): Promise<number>
  /** `plimsoll_watermarks`, whose rows `land`, `remove` and `writeClaim` write with the claim (spec A56); by stream. */
  watermarks(): Promise<readonly WatermarkRow[]>
  /** Writes into the stream's row of `plimsoll_watermarks`; without a row it does nothing. */
  noteCompleteness(stream: string, note: CompletenessNote): Promise<void>
  /** Removes staging that dead runs left behind; returns what was removed. */
  sweep(): Promise<readonly string[]>
  close(): Promise<void>
}

export interface DestinationOptions {
  readonly url: string
  /** DuckDB's memory limit in bytes; other destinations ignore it. */
  readonly memoryLimitBytes?: number
  readonly context: ConnectorContext
}

/** What a destination folder's `index.ts` exports as `connector`. */
export interface DestinationConnector {
  readonly schemes: readonly string[]
  readonly title: string
  open(options: DestinationOptions): Promise<Destination>
}
