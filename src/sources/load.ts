import type { ServerIdentity, TableRef } from './source.ts'

/** What a source folder offers for a rehearsal (assurance A48 to A51): a load on a marked database, and naive readers. */
export interface LoadGenerator {
  identity(): Promise<ServerIdentity>
  /** The rows of the marker table, whatever they say; empty without the table. */
  marks(): Promise<readonly RehearsalMark[]>
  /** Writes the one row of the marker table: this database, this server, for so many days. */
  mark(days: number): Promise<RehearsalMark>
  facts(): Promise<LoadFactsOfServer>
  /** Rows in each minute of the hour of the busiest minute; undefined where the column tells no minutes, or no rows. */
  busiestHour(table: TableRef, column: string): Promise<readonly number[] | undefined>
  /** Makes the stand-in table with its first rows: ids from 1, dated within the hour before. */
  setUp(stage: LoadStage): Promise<void>
  openWriter(stage: LoadStage): Promise<LoadWriter>
  openReader(stage: LoadStage): Promise<LoadReader>
  /** A session that writes one row and stands idle in its transaction. */
  idle(stage: LoadStage, key: number, version: string, ms: number): Promise<LoadOutcome>
  /** Holds the replay of a replica for so long, and lets it go on whatever happens. */
  pauseReplay(replicaUrl: string, ms: number): Promise<void>
  tearDown(stage: LoadStage): Promise<void>
  close(): Promise<void>
}

/** The marker as it stands; instants are µs since 1970. `nowUs` is the server's clock when it was read. */
export interface RehearsalMark {
  readonly database: string
  readonly identity: string
  readonly timeline: string
  readonly markedUs: string
  readonly expiresUs: string
  readonly nowUs: string
}

export interface LoadFactsOfServer {
  readonly database: string
  /** Prepared transactions are allowed. */
  readonly mayPrepare: boolean
  /** Connections that are free now. */
  readonly connectionsLeft: number
}

/** The table that a rehearsal writes to, and how its position is stamped. */
export interface LoadStage {
  readonly table: TableRef
  readonly rows: number
  readonly payloadBytes: number
  /** Stamps are floored to it, in µs; as at the table that is rehearsed, never scaled. */
  readonly grainUs: number
}

/** `backdated` and `unbumped`: no reader by position could see them; they are counted apart (A52). */
export type LoadKind = 'ordinary' | 'backdated' | 'unbumped' | 'bulk' | 'delete' | 'key_change'

/** One planned transaction: everything that is chosen, nothing that happens (A51). */
export interface LoadTransaction {
  readonly actor: number
  readonly n: number
  readonly atMs: number
  readonly kind: LoadKind
  readonly ops: readonly LoadOp[]
  /** What is stamped: the transaction's beginning, or the moment of the statement. */
  readonly stampOf: 'begin' | 'statement'
  readonly holdMs: number
  readonly end: 'commit' | 'rollback' | 'prepare'
  /** How long it stays prepared. */
  readonly preparedMs: number
}

export interface LoadOp {
  readonly op: 'insert' | 'update' | 'delete' | 'move'
  readonly keys: readonly number[]
  /** Of a `move`: the new key. */
  readonly toKey?: number
  /** Dated so many days back. */
  readonly daysBack?: number
}

/** What became of it; instants by the server's clock, µs since 1970. */
export interface LoadOutcome {
  readonly outcome: 'committed' | 'rolled_back' | 'failed'
  readonly beganUs: string
  /** When its end had been acknowledged: from here on everybody sees it. */
  readonly endedUs: string
  readonly writes: readonly LoadWrite[]
}

export interface LoadWrite {
  readonly op: LoadOp['op']
  readonly key: string
  readonly version: string
  readonly stampUs: string
}

export interface LoadWriter {
  /** Never throws for what a load brings about itself: locks and deadlocks end in `failed`. */
  transact(transaction: LoadTransaction): Promise<LoadOutcome>
  close(): Promise<void>
}

/** The condition of one read of a naive reader; bounds are positions in µs. */
export interface LoadQuery {
  readonly above?: string
  readonly atLeast?: string
  readonly aboveRow?: { readonly position: string; readonly key: string }
  readonly below?: string
  readonly upTo?: string
  readonly limit?: number
}

export interface LoadRow {
  readonly key: string
  readonly version: string
  readonly positionUs: string
}

export interface LoadReader {
  /** In the order of position and key. */
  read(query: LoadQuery): Promise<readonly LoadRow[]>
  newest(): Promise<string | undefined>
  nowUs(): Promise<string>
  close(): Promise<void>
}
