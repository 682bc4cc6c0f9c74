import { assert } from '../../kernel/assert.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import type { Lease, LeaseAnswer } from '../catalog.ts'
import { atomically, catalogNowUs, type Db, reading } from './database.ts'
import { isCertainlyDead, type ProcessIdentity } from './process-mark.ts'

interface LeaseRow {
  readonly stream: string
  readonly epoch: bigint
  readonly holder: string | null
  readonly host: string | null
  readonly pid: bigint | null
  readonly process_mark: string | null
  readonly expires_us: bigint | null
}

/**
 * Takes the lease when it is free, expired, or its holder on this host is dead; its epoch is above the stored one and
 * above `epochFloor`, which is what the destination knows (spec E63).
 */
export function acquireLease(
  db: Db,
  self: ProcessIdentity,
  stream: string,
  holder: string,
  leaseMs: number,
  epochFloor: number,
): LeaseAnswer {
  return atomically(db, () => {
    const row = db.prepare('SELECT * FROM lease WHERE stream = ?').get(stream) as LeaseRow | undefined
    const nowUs = catalogNowUs(db)
    const held = row && heldLease(row)
    if (held && held.expiresUs > nowUs && !isCertainlyDead({ ...held, mark: row.process_mark ?? '' })) {
      return { kind: 'busy', lease: held }
    }
    const lease: Lease = {
      stream,
      holder,
      host: self.host,
      pid: self.pid,
      epoch: Math.max(Number(row?.epoch ?? 0n), epochFloor) + 1,
      expiresUs: nowUs + leaseUs(leaseMs),
    }
    db.prepare('INSERT OR REPLACE INTO lease VALUES (?, ?, ?, ?, ?, ?, ?)').run(
      stream,
      lease.epoch,
      holder,
      lease.host,
      lease.pid,
      self.mark,
      lease.expiresUs,
    )
    return { kind: 'acquired', lease }
  })
}

/** Moves the expiry on; false when another holder has taken the lease since. */
export function renewLease(db: Db, lease: Lease, leaseMs: number): boolean {
  return atomically(db, () => {
    const sql = 'UPDATE lease SET expires_us = ? WHERE stream = ? AND epoch = ? AND holder = ?'
    const expiresUs = catalogNowUs(db) + leaseUs(leaseMs)
    return db.prepare(sql).run(expiresUs, lease.stream, lease.epoch, lease.holder).changes === 1
  })
}

/** Frees the lease when it is still ours; the epoch stays. */
export function releaseLease(db: Db, lease: Lease): void {
  atomically(db, () => {
    const sql = `UPDATE lease SET holder = NULL, host = NULL, pid = NULL, process_mark = NULL, expires_us = NULL
      WHERE stream = ? AND epoch = ? AND holder = ?`
    db.prepare(sql).run(lease.stream, lease.epoch, lease.holder)
  })
}

/** Throws LEASE_FENCED_OUT when a lease of a higher epoch was given since. Call it within the transaction that relies on it. */
export function assertLatest(db: Db, lease: Lease): void {
  const epoch = db.prepare('SELECT epoch FROM lease WHERE stream = ?').pluck().get(lease.stream)
  if (epoch === BigInt(lease.epoch)) return
  throw new PlimsollError('LEASE_FENCED_OUT', `${lease.stream}: another run has taken over`)
}

/** The leases that are held or have expired unreleased. */
export function listLeases(db: Db): readonly Lease[] {
  const rows = reading(db, () => db.prepare('SELECT * FROM lease ORDER BY stream').all()) as LeaseRow[]
  return rows.map(heldLease).filter((lease) => lease !== undefined)
}

function heldLease(row: LeaseRow): Lease | undefined {
  if (row.holder === null) return undefined
  assert(row.host !== null && row.pid !== null && row.expires_us !== null, 'a lease is held by nobody')
  return {
    stream: row.stream,
    holder: row.holder,
    host: row.host,
    pid: Number(row.pid),
    epoch: Number(row.epoch),
    expiresUs: row.expires_us,
  }
}

function leaseUs(leaseMs: number): bigint {
  assert(leaseMs > 0, 'a lease lasts some time')
  return BigInt(Math.round(leaseMs * 1000))
}
