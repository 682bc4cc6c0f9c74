import type { AlarmLevel } from '../kernel/alarm.ts'
import type { Finding, FindingState } from '../kernel/finding.ts'
import type { LedgerEntry } from '../kernel/ledger.ts'

export interface Lease {
  readonly stream: string
  readonly holder: string
  readonly host: string
  readonly pid: number
  readonly epoch: number
  /** By the catalog's clock, µs since 1970. */
  readonly expiresUs: bigint
}

export type LeaseAnswer =
  | { readonly kind: 'acquired'; readonly lease: Lease }
  | { readonly kind: 'busy'; readonly lease: Lease }

/** One closed (or abandoned) run: canonical JSON, append-only, each naming the hash of the stream's previous record. */
export interface StoredRecord {
  readonly runId: string
  readonly stream: string
  readonly sequence: number
  readonly json: string
  readonly hash: string
  readonly prev: string
}

/** A run that was opened and not closed: its process may be dead (spec E72). */
export interface OpenRun {
  readonly runId: string
  readonly stream: string
  readonly epoch: number
  readonly openedUs: bigint
  readonly host: string
  readonly pid: number
  readonly kind: string
}

export interface Alarm {
  readonly id: number
  readonly stream: string
  readonly name: string
  readonly level: AlarmLevel
  /** Its first cause. */
  readonly text: string
  /** What was said when it was raised last. */
  readonly latest: string
  readonly evidence: string
  /** How often it has been raised since it is open. */
  readonly count: number
  readonly raisedUs: bigint
  readonly seenUs: bigint
  readonly resolvedUs: bigint | undefined
}

export interface FindingQuery {
  readonly stream?: string
  readonly checkId?: string
  readonly states?: readonly FindingState[]
  readonly ids?: readonly string[]
  readonly keyTexts?: readonly string[]
  readonly limit: number
}

/**
 * The program's own memory. All methods are atomic; a crash leaves each done or not done. Streams are named by the
 * caller, unique over pipelines.
 */
export interface Catalog {
  nowUs(): bigint
  /** Takes the lease when free, expired, or its holder's process on this host is dead; raises the epoch above `epochFloor`. */
  acquireLease(stream: string, holder: string, leaseMs: number, epochFloor: number): Promise<LeaseAnswer>
  /** False when the lease is no longer ours. */
  renewLease(lease: Lease, leaseMs: number): Promise<boolean>
  releaseLease(lease: Lease): Promise<void>
  leases(): Promise<readonly Lease[]>

  openRun(run: OpenRun): Promise<void>
  openRuns(stream: string): Promise<readonly OpenRun[]>
  /**
   * Appends the record, with its hash and the previous record's, and removes the open run, in one transaction. Throws
   * LEASE_FENCED_OUT when the run is not open: a successor has closed it as abandoned.
   */
  closeRun(runId: string, stream: string, record: Readonly<Record<string, unknown>>): Promise<StoredRecord>
  /**
   * Appends a record of something that is no run (audit, repair, decree, acceptance) to the same chain (spec A57). Its
   * `run_id`, new in the stream, names it; without one its kind and place do (`decree-12`).
   */
  appendRecord(stream: string, record: Readonly<Record<string, unknown>>): Promise<StoredRecord>
  /** Newest first. */
  records(stream: string | undefined, limit: number): Promise<readonly StoredRecord[]>
  /** Newest first, of one stream, those of this kind (`run`, `audit`, …). */
  recordsOfKind(stream: string, kind: string, limit: number): Promise<readonly StoredRecord[]>
  /** Oldest first, those whose sequence is above `after`. */
  recordsAfter(stream: string, after: number, limit: number): Promise<readonly StoredRecord[]>
  record(runId: string): Promise<StoredRecord | undefined>

  addRange(entry: LedgerEntry): Promise<void>
  ranges(stream: string, generation?: number): Promise<readonly LedgerEntry[]>

  memory(scope: string, name: string): Promise<string | undefined>
  /** With a lease: throws LEASE_FENCED_OUT when a later one was given, and remembers nothing (spec E63). */
  remember(scope: string, name: string, json: string | undefined, lease?: Lease): Promise<void>

  /** Names under a scope that begin with `prefix`, sorted. */
  memoryNames(scope: string, prefix: string): Promise<readonly string[]>

  /** Adds findings, or replaces those of the same id, in one transaction; none is ever deleted (spec A15). */
  putFindings(findings: readonly Finding[]): Promise<void>
  /** Oldest first. */
  findings(wanted: FindingQuery): Promise<readonly Finding[]>
  /** How many of a stream's findings are in one of these states, by verdict; exact however many there are. */
  countFindings(stream: string, states: readonly FindingState[]): Promise<Readonly<Record<string, number>>>

  /**
   * Raises once: an alarm of that name and stream that is open already gets the new text, evidence and level, and is
   * counted; its first cause stays. Without a level that of the kernel's table.
   */
  raiseAlarm(stream: string, name: string, text: string, evidence: string, level?: AlarmLevel): Promise<void>
  resolveAlarm(stream: string, name: string): Promise<void>
  alarms(openOnly: boolean): Promise<readonly Alarm[]>

  streams(): Promise<readonly string[]>
  export(stream?: string): Promise<string>
  import(json: string): Promise<void>
  close(): Promise<void>
}
