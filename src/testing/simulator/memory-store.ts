import type { Alarm, Lease, OpenRun, StoredRecord } from '../../catalog/catalog.ts'
import type { Finding } from '../../kernel/finding.ts'
import type { LedgerEntry } from '../../kernel/ledger.ts'

/** What a catalog in memory holds, for all that are opened on it. */
export interface MemoryStore {
  readonly epochs: Map<string, number>
  readonly leases: Map<string, Lease>
  readonly openRuns: Map<string, OpenRun>
  /** In the order in which they were closed. */
  readonly records: StoredRecord[]
  /** By content: the same entry twice is once. */
  readonly ranges: Map<string, LedgerEntry>
  /** By scope, then by name. */
  readonly memory: Map<string, Map<string, string>>
  readonly alarms: Alarm[]
  /** By id, in the order in which they were first put. */
  readonly findings: Map<string, Finding>
}

export function createMemoryStore(): MemoryStore {
  return {
    epochs: new Map(),
    leases: new Map(),
    openRuns: new Map(),
    records: [],
    ranges: new Map(),
    memory: new Map(),
    alarms: [],
    findings: new Map(),
  }
}

export function rangeKey(entry: LedgerEntry): string {
  const { stream, generation, runId, kind, state, range, proof, batchId, readSeq, reason } = entry
  const { lower, upper } = range
  const bounds = `${lower?.kind}|${lower?.value}|${upper.kind}|${upper.value}`
  return [stream, generation, runId, kind, state, proof, batchId, readSeq, reason, bounds].join('\0')
}

export function knownStreams(store: MemoryStore): string[] {
  const names = new Set([...store.epochs.keys(), ...store.leases.keys()])
  const { records, ranges, openRuns, alarms, findings } = store
  for (const list of [records, ranges.values(), openRuns.values(), alarms, findings.values()]) {
    for (const { stream } of list) names.add(stream)
  }
  return [...names].sort()
}
