import type { ModelPosition, ModelRow } from './model-row.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** What a transaction did to a key: a new version, or undefined for a delete. */
export type Change = readonly [key: number, row: ModelRow | undefined]

export interface ModelTransaction {
  /** Shown to P2 while open: backend and a number that no other has. */
  readonly virtualId: string
  readonly pid: number
  /** The source's clock at begin: what now() says all along. */
  readonly startUs: bigint
  /** True time at which others begin to see it: the start is taken before it is published (spec E25 f). */
  publishedUs: bigint
  /** Drawn at the first write. */
  xid: bigint | undefined
  /** `transaction/gid` once prepared. */
  preparedKey: string | undefined
  readonly writes: Map<number, ModelRow | undefined>
}

/**
 * The primary: one table of committed versions, open and prepared transactions, and a log of commits that standbys
 * replay. Two open transactions never write the same key, as row locks see to it.
 */
export class ModelDatabase {
  readonly committed = new Map<number, ModelRow>()
  readonly log: (readonly Change[])[] = []
  readonly open = new Set<ModelTransaction>()
  readonly prepared = new Set<ModelTransaction>()
  readonly #clock: VirtualClock
  readonly #onCommit: (changes: readonly Change[]) => void
  #nextXid = 1_000n
  #nextVirtualId = 1

  constructor(clock: VirtualClock, onCommit: (changes: readonly Change[]) => void) {
    this.#clock = clock
    this.#onCommit = onCommit
  }

  begin(pid: number, publishDelayUs: bigint): ModelTransaction {
    const transaction: ModelTransaction = {
      virtualId: `${pid}/${this.#nextVirtualId++}`,
      pid,
      startUs: this.#clock.sourceUs(),
      publishedUs: this.#clock.trueUs() + publishDelayUs,
      xid: undefined,
      preparedKey: undefined,
      writes: new Map(),
    }
    this.open.add(transaction)
    return transaction
  }

  /** The transaction's id, drawn now when it has none; a statement runs only once its session is published. */
  touch(transaction: ModelTransaction): bigint {
    transaction.publishedUs = this.#clock.trueUs()
    transaction.xid ??= this.#nextXid++
    return transaction.xid
  }

  isLocked(key: number): boolean {
    for (const each of this.open) if (each.writes.has(key)) return true
    for (const each of this.prepared) if (each.writes.has(key)) return true
    return false
  }

  write(transaction: ModelTransaction, key: number, position: ModelPosition, content: string | null): void {
    transaction.writes.set(key, { key, position, content })
  }

  remove(transaction: ModelTransaction, key: number): void {
    this.touch(transaction)
    transaction.writes.set(key, undefined)
  }

  /** The transaction leaves the list of sessions and holds its locks on under another name. */
  prepare(transaction: ModelTransaction): void {
    transaction.preparedKey = `${this.touch(transaction)}/g${transaction.virtualId}`
    this.open.delete(transaction)
    this.prepared.add(transaction)
  }

  /** Ends an open or prepared transaction: all its writes at once become what others see. */
  commit(transaction: ModelTransaction): void {
    this.#end(transaction)
    if (transaction.writes.size === 0) return
    const changes = [...transaction.writes]
    applyChanges(this.committed, changes)
    this.log.push(changes)
    this.#onCommit(changes)
  }

  rollback(transaction: ModelTransaction): void {
    this.#end(transaction)
  }

  #end(transaction: ModelTransaction): void {
    this.open.delete(transaction)
    this.prepared.delete(transaction)
  }

  /** Sessions with a transaction that others can see now. */
  published(): ModelTransaction[] {
    const now = this.#clock.trueUs()
    return [...this.open].filter((each) => each.publishedUs <= now)
  }

  /** The least id still in progress, prepared ones included; the next one when there is none. */
  snapshotXmin(): bigint {
    let least = this.#nextXid
    for (const { xid } of [...this.open, ...this.prepared]) if (xid !== undefined && xid < least) least = xid
    return least
  }
}

export function applyChanges(rows: Map<number, ModelRow>, changes: readonly Change[]): void {
  for (const [key, row] of changes) {
    if (row) rows.set(key, row)
    else rows.delete(key)
  }
}
