import type { Catalog, Lease, StoredRecord } from '../../catalog/catalog.ts'
import { sealRecord, sealUnopened } from '../../catalog/record-chain.ts'
import { alarmLevel } from '../../kernel/alarm.ts'
import { assert } from '../../kernel/assert.ts'
import { canonicalJson } from '../../kernel/canonical-json.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import { exportStore, importStore } from './memory-exchange.ts'
import { countFindings, listFindings } from './memory-findings.ts'
import { knownStreams, type MemoryStore, rangeKey } from './memory-store.ts'

export interface MemoryCatalogOptions {
  readonly store: MemoryStore
  readonly nowUs: () => bigint
  readonly host: string
  readonly pid: number
  /** Whether a process of this host is certainly gone: then its lease is free at once. */
  readonly isDead: (pid: number) => boolean
}

/** A catalog that lives in memory and is gone with it; many may be opened on one store, as processes on one file. */
export function createMemoryCatalog(options: MemoryCatalogOptions): Catalog {
  const { store, nowUs, host, pid, isDead } = options
  const isFree = (held: Lease | undefined): boolean =>
    !held || held.expiresUs <= nowUs() || (held.host === host && isDead(held.pid))
  const own = (lease: Lease): Lease | undefined => {
    const held = store.leases.get(lease.stream)
    return held?.epoch === lease.epoch && held.holder === lease.holder ? held : undefined
  }
  const lastOf = (stream: string): StoredRecord | undefined =>
    store.records.findLast((record) => record.stream === stream)
  const openAlarm = (stream: string, name: string): number =>
    store.alarms.findIndex((each) => each.stream === stream && each.name === name && !each.resolvedUs)
  return {
    nowUs,
    async acquireLease(stream, holder, leaseMs, epochFloor) {
      const held = store.leases.get(stream)
      if (held && !isFree(held)) return { kind: 'busy', lease: held }
      const epoch = Math.max(store.epochs.get(stream) ?? 0, epochFloor) + 1
      const lease: Lease = { stream, holder, host, pid, epoch, expiresUs: nowUs() + us(leaseMs) }
      store.epochs.set(stream, epoch)
      store.leases.set(stream, lease)
      return { kind: 'acquired', lease }
    },
    async renewLease(lease, leaseMs) {
      const held = own(lease)
      if (held) store.leases.set(lease.stream, { ...held, expiresUs: nowUs() + us(leaseMs) })
      return held !== undefined
    },
    async releaseLease(lease) {
      if (own(lease)) store.leases.delete(lease.stream)
    },
    async leases() {
      return [...store.leases.values()].sort((a, b) => (a.stream < b.stream ? -1 : 1))
    },
    async openRun(run) {
      assert(
        !store.records.some((record) => record.runId === run.runId),
        `run ${run.runId} was closed already`,
      )
      store.openRuns.set(run.runId, run)
    },
    async openRuns(stream) {
      return [...store.openRuns.values()].filter((run) => run.stream === stream)
    },
    async closeRun(runId, stream, record) {
      if (store.openRuns.get(runId)?.stream !== stream)
        throw new PlimsollError('LEASE_FENCED_OUT', `run ${runId} of ${stream} is not open any more`)
      const sealed = sealRecord(runId, stream, record, lastOf(stream))
      store.openRuns.delete(runId)
      store.records.push(sealed)
      return sealed
    },
    async appendRecord(stream, record) {
      const sealed = sealUnopened(stream, record, lastOf(stream))
      const { runId } = sealed
      assert(
        !store.records.some((each) => each.stream === stream && each.runId === runId),
        `${stream} has a record ${runId} already`,
      )
      store.records.push(sealed)
      return sealed
    },
    async records(stream, limit) {
      const all = store.records.filter((record) => stream === undefined || record.stream === stream)
      return all.reverse().slice(0, limit)
    },
    async recordsOfKind(stream, kind, limit) {
      return store.records
        .filter((record) => record.stream === stream && JSON.parse(record.json).kind === kind)
        .reverse()
        .slice(0, limit)
    },
    async recordsAfter(stream, after, limit) {
      return store.records
        .filter((record) => record.stream === stream && record.sequence > after)
        .slice(0, limit)
    },
    async record(runId) {
      return store.records.find((record) => record.runId === runId)
    },
    async addRange(entry) {
      const key = rangeKey(entry)
      if (!store.ranges.has(key)) store.ranges.set(key, entry)
    },
    async ranges(stream, generation) {
      const all = [...store.ranges.values()].filter((entry) => entry.stream === stream)
      return generation === undefined ? all : all.filter((entry) => entry.generation === generation)
    },
    async memory(scope, name) {
      return store.memory.get(scope)?.get(name)
    },
    async remember(scope, name, json, lease) {
      if (lease && store.epochs.get(lease.stream) !== lease.epoch)
        throw new PlimsollError('LEASE_FENCED_OUT', `${lease.stream}: another run has taken over`)
      const known = store.memory.get(scope) ?? new Map<string, string>()
      if (json === undefined) known.delete(name)
      else known.set(name, json)
      store.memory.set(scope, known)
    },
    async memoryNames(scope, prefix) {
      return [...(store.memory.get(scope)?.keys() ?? [])].filter((name) => name.startsWith(prefix)).sort()
    },
    async putFindings(findings) {
      for (const finding of findings) canonicalJson(finding)
      for (const finding of findings) store.findings.set(finding.id, finding)
    },
    async findings(wanted) {
      return listFindings(store, wanted)
    },
    async countFindings(stream, states) {
      return countFindings(store, stream, states)
    },
    async raiseAlarm(stream, name, text, evidence, level = alarmLevel(name)) {
      const index = openAlarm(stream, name)
      const before = store.alarms[index]
      const now = { level, latest: text, evidence, seenUs: nowUs() }
      if (before) store.alarms[index] = { ...before, ...now, count: before.count + 1 }
      else {
        const id = store.alarms.length + 1
        store.alarms.push({
          id,
          stream,
          name,
          text,
          count: 1,
          raisedUs: nowUs(),
          resolvedUs: undefined,
          ...now,
        })
      }
    },
    async resolveAlarm(stream, name) {
      const index = openAlarm(stream, name)
      if (index >= 0) store.alarms[index] = { ...store.alarms[index]!, resolvedUs: nowUs() }
    },
    async alarms(openOnly) {
      return store.alarms.filter((alarm) => !openOnly || alarm.resolvedUs === undefined)
    },
    async streams() {
      return knownStreams(store)
    },
    async export(stream) {
      return exportStore(store, stream)
    },
    async import(json) {
      importStore(store, json)
    },
    async close() {},
  }
}

const us = (ms: number): bigint => BigInt(Math.round(ms * 1000))
