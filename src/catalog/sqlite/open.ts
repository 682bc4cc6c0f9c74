import { join } from 'node:path'
import type { Catalog } from '../catalog.ts'
import { listAlarms, raiseAlarm, resolveAlarm } from './alarms.ts'
import { catalogNowUs, openDatabase, reading } from './database.ts'
import { exportCatalog, importCatalog, listStreams } from './export-import.ts'
import { countFindings, listFindings, putFindings } from './findings.ts'
import { acquireLease, listLeases, releaseLease, renewLease } from './leases.ts'
import { memoryNames, recall, remember } from './memory.ts'
import { thisProcess } from './process-mark.ts'
import { addRange, listRanges } from './ranges.ts'
import {
  appendRecord,
  closeRun,
  findRecord,
  listRecords,
  listRecordsAfter,
  listRecordsOfKind,
  openRun,
  openRuns,
} from './runs.ts'

/**
 * Opens the catalog in `<folder>/catalog.sqlite` and creates folder and file when absent. For the processes of one host, on a
 * local disk. Throws CATALOG_UNAVAILABLE.
 */
export async function openCatalog(folder: string): Promise<Catalog> {
  const db = openDatabase(join(folder, 'catalog.sqlite'))
  const self = thisProcess()
  return {
    nowUs: () => catalogNowUs(db),
    acquireLease: async (stream, holder, leaseMs, epochFloor) =>
      acquireLease(db, self, stream, holder, leaseMs, epochFloor),
    renewLease: async (lease, leaseMs) => renewLease(db, lease, leaseMs),
    releaseLease: async (lease) => releaseLease(db, lease),
    leases: async () => listLeases(db),
    openRun: async (run) => openRun(db, run),
    openRuns: async (stream) => openRuns(db, stream),
    closeRun: async (runId, stream, record) => closeRun(db, runId, stream, record),
    appendRecord: async (stream, record) => appendRecord(db, stream, record),
    records: async (stream, limit) => listRecords(db, stream, limit),
    recordsOfKind: async (stream, kind, limit) => listRecordsOfKind(db, stream, kind, limit),
    recordsAfter: async (stream, after, limit) => listRecordsAfter(db, stream, after, limit),
    record: async (runId) => findRecord(db, runId),
    addRange: async (entry) => addRange(db, entry),
    ranges: async (stream, generation) => listRanges(db, stream, generation),
    memory: async (scope, name) => recall(db, scope, name),
    remember: async (scope, name, json, lease) => remember(db, scope, name, json, lease),
    memoryNames: async (scope, prefix) => memoryNames(db, scope, prefix),
    putFindings: async (findings) => putFindings(db, findings),
    findings: async (wanted) => listFindings(db, wanted),
    countFindings: async (stream, states) => countFindings(db, stream, states),
    raiseAlarm: async (stream, name, text, evidence, level) =>
      raiseAlarm(db, stream, name, text, evidence, level),
    resolveAlarm: async (stream, name) => resolveAlarm(db, stream, name),
    alarms: async (openOnly) => listAlarms(db, openOnly),
    streams: async () => reading(db, () => listStreams(db)),
    export: async (stream) => exportCatalog(db, stream),
    import: async (json) => importCatalog(db, json),
    close: async () => void db.close(),
  }
}
