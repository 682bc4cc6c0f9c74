import type { Readable } from 'node:stream'
import type { ReachFailpoint } from '../kernel/failpoint.ts'
import type { Fence, FenceMethod, LogPosition } from '../kernel/fence.ts'
import type { ComparisonPlan } from '../kernel/fingerprint/comparison.ts'
import type { Lane } from '../kernel/lane.ts'
import type { PositionOrder, Stamper } from '../kernel/order.ts'
import type { Position, PositionKind } from '../kernel/position.ts'
import type { Range } from '../kernel/range.ts'
import type { LogicalType } from '../kernel/types.ts'
import type {
  SourceDiagnosis,
  SourceDiagnosisRequest,
  TableDiagnosis,
  TableDiagnosisRequest,
} from './diagnosis.ts'
import type { LoadGenerator } from './load.ts'
import type { Look, SourceLookRequest } from './look.ts'

/** Every promise a source makes; the conformance suite tests exactly these. */
export interface SourceCapabilities {
  /** Fences that can be `proven`. */
  readonly exactFence: boolean
  /** A reader is one snapshot, however many ranges are read from it. */
  readonly snapshotReads: boolean
  /** `openLook` computes sums beside the data. Without it the method throws. */
  readonly pushdownFingerprint: boolean
  readonly formats: readonly WireFormat[]
}

/**
 * How rows travel. `pg_text`: UTF-8 lines of PostgreSQL's own COPY text, for those who have PostgreSQL's COPY (CSV
 * costs both servers a tenth more). `plain_csv`: CSV as PostgreSQL writes it (RFC 4180, UTF-8, `\n`, NULL an unquoted
 * empty field, empty text quoted), each field in PostgreSQL's own output notation, but timestamp(tz): `YYYY-MM-DD[ (BC)] HH:MM:SS[.ffffff]` in UTC, years of 4 or more digits, or `infinity`, `-infinity`;
 * date: `YYYY-MM-DD[ (BC)]` or a word; interval: `months days µs`, three integers; list: a JSON array whose elements
 * are strings or null (nested never; a list that is not one-dimensional from 1 travels as the server's literal, which
 * begins with `{` or `[n:m]=`); bytes: `\x` and hex; bool `t`/`f`; bit: digits.
 */
export type WireFormat = 'pg_text' | 'plain_csv'

export interface TableRef {
  /** `main` for SQLite. */
  readonly schema: string
  readonly name: string
}

/** Who answers under this address (spec E66). `id` tells systems apart; the rest tells whether it went back. */
export interface ServerIdentity {
  readonly engine: 'postgres' | 'sqlite' | 'model'
  readonly version: string
  readonly id: string
  readonly database: string
  readonly timeline: string
  readonly logPosition: LogPosition | undefined
  /** The replica that rows are read from, when there is one. */
  readonly replica?: string
}

export interface ColumnShape {
  readonly name: string
  /** The source's exact type, e.g. `numeric(10,2)`, `character varying(20)`, `public.mood`. */
  readonly nativeType: string
  /** True when any server of the same engine knows the type: not an enum, composite, domain or extension type. */
  readonly builtin: boolean
  readonly type: LogicalType
  readonly nullable: boolean
  readonly collation?: string
  /** Tells the column from another that was added under its name later: PostgreSQL's attnum. Absent: nothing tells. */
  readonly identity?: string
  /** Of an enum, or of an array of one: its labels in order. */
  readonly labels?: readonly string[]
}

/** A part of a table that holds rows of its own: a partition, or a child that inherits. */
export interface PartitionShape extends TableRef {
  /** PostgreSQL oid. */
  readonly objectId: string
}

export interface KeyFact {
  readonly columns: readonly string[]
  readonly origin: 'primary_key' | 'unique_index'
}

/** What is known of one column that might order the table. */
export interface PositionFact {
  readonly column: string
  /** Absent when the column cannot order; `refused` then says why, naming collation or type. */
  readonly order: PositionOrder | undefined
  readonly refused: string | undefined
  readonly nullable: boolean
  /** An index (valid, not partial) begins with the column. */
  readonly indexed: boolean
  /** Evidence for a person, e.g. `default now()`, `trigger touch_orders`, `no default, no trigger`. */
  readonly evidence: readonly string[]
  /** 0..100: how much the name and the evidence look like "changed at". Equal top scores are ambiguous. */
  readonly score: number
}

export interface TableShape {
  readonly table: TableRef
  readonly kind: 'table' | 'partitioned' | 'view'
  /** PostgreSQL oid; tells another table under the same name. */
  readonly objectId: string
  readonly columns: readonly ColumnShape[]
  /** Usable keys, primary key first: unique, valid, not partial, not deferrable, columns NOT NULL. */
  readonly keys: readonly KeyFact[]
  readonly positions: readonly PositionFact[]
  readonly rowCountEstimate: number | undefined
  /** SHA-256 over ordered names, exact types, collations, nullability and identities (spec E67). */
  readonly schemaHash: string
  /** Every part with rows of its own; absent where the source's tables have none. */
  readonly partitions?: readonly PartitionShape[]
}

/** What the user declared for a stream; all optional. Durations in µs as bigint where positions are touched. */
export interface OrderDeclaration {
  readonly column: string
  readonly kind?: PositionKind
  readonly zone?: string
  readonly grain?: bigint
  readonly stampedBy?: Stamper
  readonly unit?: 's' | 'ms' | 'us' | 'ns'
  readonly encoding?: 'iso' | 'ulid' | 'uuidv7'
  readonly flavour?: 'sequence' | 'epoch'
}

export interface FencePolicy {
  readonly method: FenceMethod | 'auto'
  readonly guardMs: number
  readonly fenceSampleMs: number
  readonly fenceFreshMs: number
  readonly fenceWaitMs: number
  readonly holdMaxMs: number | 'never'
  readonly settleMs: number
  readonly busyWaitMs: number
  readonly excludeRoles: readonly string[]
  readonly appendOnly: boolean
}

export interface FenceRequest {
  readonly shape: TableShape
  readonly order: PositionOrder
  readonly policy: FencePolicy
  /** Keys of this stream's decrees whose bill is not paid yet, with the bounds they were given. */
  readonly outstandingDecrees: readonly { readonly key: string; readonly bound: string }[]
  /** The caller has ≥ 2,995 lateness measurements of 14 days, p99.9 within settle and overlap (spec E19). */
  readonly latenessMeasured?: boolean
  /** For a plan that nobody will act on: decrees and steps of the clock are kept for the run that will. */
  readonly rehearsal?: boolean
}

export type ReadScope =
  | { readonly kind: 'range'; readonly range: Range }
  /** One lane by keyset on the key, at most `limit` rows after `afterKey` (texts of the key columns). */
  | {
      readonly kind: 'lane'
      readonly lane: Lane
      readonly limit: number
      readonly afterKey: readonly string[] | undefined
    }
  /** Rows of these keys, wherever they stand in the order (spec A28); texts as the wire carries them, null for NULL. */
  | { readonly kind: 'keys'; readonly keys: readonly (readonly (string | null)[])[] }
  /** `[from, future)`: everything at or above the fence that is in no lane (spec E16). */
  | { readonly kind: 'peek'; readonly from: Position }

/** Rows of one scope as bytes of the agreed format. */
export interface RowStream {
  readonly format: WireFormat
  readonly bytes: Readable
  /** Settles when `bytes` has ended: how many rows and bytes it carried, and for a lane the last key delivered. */
  readonly done: Promise<{ rowCount: number; byteSize: number; lastKey?: readonly string[] }>
  /** How many bytes have passed by now, for progress. */
  byteSizeSoFar?(): number
  /** Ends the query at the source, also while `bytes` is unread. */
  cancel(): Promise<void>
}

export interface ReaderRequest {
  readonly shape: TableShape
  readonly order: PositionOrder
  readonly key: readonly string[]
  readonly format: WireFormat
  /** Columns read as the source's text whatever their type (`columns: { c: text }`). */
  readonly asText: readonly string[]
  /** The snapshot must contain everything up to here (spec E29, E30). */
  readonly after: LogPosition | undefined
  /** Rows at or above this position are the lane `future`; text of µs since 1970, or undefined for counters. */
  readonly futureFromUs: bigint | undefined
  readonly replicaWaitMs: number
  readonly queryMaxMs: number
  readonly lockTimeoutMs: number
  readonly pageRows: number
  /** Outside a first load, more rows than this are not scanned for the sake of a few (spec E51). */
  readonly fullScanMaxRows: number
}

/** One snapshot of one table. Opened after the fence, never before (spec E9). Always close it. */
export interface Reader {
  readonly snapshotId: string
  /** The server's clock once the snapshot stood, µs since 1970; absent where it has none of its own. */
  readonly takenUs?: string
  readonly logPosition: LogPosition | undefined
  /**
   * The n-th smallest position in (from, upper) that is in no lane, or undefined when fewer than n are left: the
   * upper border of a slice of about `rowCount` rows (spec E46). Always above `from`.
   */
  nextBorder(from: Position | undefined, upper: Position, rowCount: number): Promise<Position | undefined>
  read(scope: ReadScope): RowStream
  /** Rows in each lane, counted up to `limit` (then `limit + 1`), in one round trip; lanes that cannot exist are absent. */
  countLanes(limit: number): Promise<Partial<Record<Lane, number>>>
  /** Looks at the reader's own snapshot, in which the source stands still (assurance A12); closed with the reader. */
  look?(plan: ComparisonPlan): Promise<Look>
  /** The largest position that is in no lane (for lags and peek), or undefined for none. */
  newest(): Promise<Position | undefined>
  close(): Promise<void>
}

/** Rows whose commit times are asked for, to learn how long after their stamp they became visible (assurance A35). */
export interface CommitTimesRequest {
  readonly shape: TableShape
  readonly order: PositionOrder
  readonly range: Range
  /** Only rows committed in (after, until], µs since 1970 by the source's clock. */
  readonly committedAfterUs: bigint
  readonly committedUntilUs: bigint
  /** 0..1: of so large a share of the rows, chosen by chance; and never more than `rowLimit`. */
  readonly share: number
  readonly rowLimit: number
  readonly queryMaxMs: number
  readonly lockTimeoutMs: number
}

export interface CommitTime {
  readonly position: Position
  /** Key columns are not read: the place of the row in its table, for a person. */
  readonly place: string
  /** By the source's clock, µs since 1970. */
  readonly committedUs: bigint
  /** µs from the position to the commit; negative where the stamp is ahead. For wall times both are wall times. */
  readonly latenessUs: bigint
}

/** What of a table's load can be counted at the source (assurance A46). A count that takes too long is left out. */
export interface LoadFactsRequest {
  readonly shape: TableShape
  readonly order: PositionOrder
  /** The busiest minute is looked for in `[since, until)`. */
  readonly since: Position
  readonly until: Position
  /** Ties and row sizes of at most so many rows, the newest below `until`. */
  readonly censusRows: number
  /** Of each count. */
  readonly queryMaxMs: number
  readonly lockTimeoutMs: number
}

export interface LoadFacts {
  /** By the rows as they stand now: rows that changed again count where they stand. */
  readonly busiestMinute: { readonly startUs: string; readonly rowCount: number } | undefined
  readonly rowCount: number | undefined
  readonly ties:
    | { readonly rowCount: number; readonly squareSum: number; readonly largest: number }
    | undefined
  /** Bytes of 99 in 100 rows at most. */
  readonly rowBytesP99: number | undefined
  readonly oldest: Position | undefined
  readonly connections: { readonly allowed: number; readonly used: number } | undefined
}

/** One look at who has a transaction open (assurance A19, A36). */
export interface OpenTransactions {
  /** µs since 1970 by the source's clock, as text. */
  readonly takenUs: string
  /** False when some sessions hide what they do: the list may lack transactions. */
  readonly complete: boolean
  readonly transactions: readonly OpenTransaction[]
}

export interface OpenTransaction {
  /** µs since 1970; of a prepared transaction the moment it was prepared, for nothing shows its start. */
  readonly startUs: string
  /** Once it has written something. */
  readonly transaction: string | undefined
  readonly session: string
  readonly role: string | undefined
  readonly application: string | undefined
  readonly prepared: boolean
}

export interface QueryPlan {
  readonly sql: string
  readonly expectedRows: number
  readonly sequentialScan: boolean
  readonly sort: boolean
  /** What would stop the run, e.g. the missing index, with the statement that creates it. */
  readonly obstacle: string | undefined
}

export interface TableSummary {
  readonly table: TableRef
  readonly kind: TableShape['kind']
  readonly rowCountEstimate: number | undefined
  readonly byteSize: number | undefined
}

/** What a connector gets from outside: never process.env, never a clock of its own for decisions about data. */
export interface ConnectorContext {
  readonly reach: ReachFailpoint
  /** Small JSON texts that outlive the process (sampler bounds, decree times); kept in the catalog. */
  readonly memory: ConnectorMemory
  /** A line for the log of the run, for people. */
  readonly note: (text: string) => void
}

export interface ConnectorMemory {
  load(name: string): Promise<string | undefined>
  save(name: string, json: string): Promise<void>
}

export interface Source {
  readonly capabilities: SourceCapabilities
  identity(): Promise<ServerIdentity>
  list(): Promise<readonly TableSummary[]>
  /** Throws TABLE_NOT_FOUND, with the nearest names in the hint. */
  describe(table: TableRef, declared?: OrderDeclaration): Promise<TableShape>
  fence(request: FenceRequest): Promise<Fence>
  /** Whether a part holds rows whose position lies below the bound; absent where tables have no parts (spec E67). */
  hasRowsBelow?(part: TableRef, order: PositionOrder, bound: Position): Promise<boolean>
  /** Waits for the replica, locks, verifies the schema hash (SCHEMA_CHANGED), opens the snapshot (spec E50). */
  openReader(request: ReaderRequest): Promise<Reader>
  /** EXPLAINs the range query without running it (spec E51). */
  explain(request: ReaderRequest, range: Range): Promise<QueryPlan>
  /** Undefined where the server keeps no commit times, or positions are no moments (assurance A35). */
  commitTimes?(request: CommitTimesRequest): Promise<readonly CommitTime[] | undefined>
  /** Everybody but our own readers; absent where a server has no list of them (assurance A36). */
  openTransactions?(): Promise<OpenTransactions>
  /** For the review: counts beside the data, each bounded in time (assurance A46). */
  loadFacts?(request: LoadFactsRequest): Promise<LoadFacts>
  /** A snapshot for checks: sums and rows in canonical form (spec F28). */
  openLook(request: SourceLookRequest): Promise<Look>
  /** Facts for `doctor` (assurance A41 to A45); absent where a kind of source has none. Both write nothing. */
  diagnose?(request: SourceDiagnosisRequest): Promise<SourceDiagnosis>
  diagnoseTable?(request: TableDiagnosisRequest): Promise<TableDiagnosis>
  close(): Promise<void>
}

export interface SourceOptions {
  /** With credentials. Never printed. */
  readonly url: string
  /** Where rows are read, when not from `url`; the fence is always taken at `url`. */
  readonly replicaUrl?: string
  readonly context: ConnectorContext
}

/** What a source folder's `index.ts` exports as `connector`: the folder is the registration. */
export interface SourceConnector {
  readonly schemes: readonly string[]
  readonly title: string
  open(options: SourceOptions): Promise<Source>
  /** The load of a rehearsal (assurance A48); absent where there is none. */
  openLoad?(url: string): Promise<LoadGenerator>
}
