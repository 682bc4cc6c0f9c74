import { PlimsollError } from '../../kernel/errors.ts'
import type { ReaderRequest, Source, SourceOptions } from '../source.ts'
import { parseAddress } from './address.ts'
import { type Db, inReadTransaction, openFile, statFile, untilFree } from './connection.ts'
import { readTableFacts } from './describe/columns.ts'
import { describeTable } from './describe/describe.ts'
import { listTables } from './describe/tables.ts'
import { diagnoseSource } from './diagnose/source.ts'
import { diagnoseTable } from './diagnose/table.ts'
import { explainRange } from './explain.ts'
import { type FenceState, takeFence } from './fence.ts'
import { identityOf } from './identity.ts'
import { readLoadFacts } from './load-facts.ts'
import { openLook } from './look/look.ts'
import { orderedColumn } from './read/ordered-column.ts'
import { openReader } from './read/reader.ts'

/** Longest wait for a lock where the caller gives none. */
const LOCK_WAIT_MS = 5_000

/** Opens a SQLite file as a source. Throws CONFIG_INVALID, SOURCE_UNAVAILABLE, SOURCE_FAILED. */
export async function openSqliteSource({ url, context }: SourceOptions): Promise<Source> {
  const address = parseAddress(url)
  const state: FenceState = { clock: undefined }
  let fileId = idOf(address.file)
  let db = openFile(address, address.readOnly)
  let snapshots = 0
  await untilFree(db, LOCK_WAIT_MS, () => db.pragma('schema_version')).catch((error: unknown) => {
    db.close()
    throw error
  })

  /** The connection, once it is sure that the path still names the file that was opened (spec E66). */
  const same = (): Db => {
    if (idOf(address.file) !== fileId) throw replaced(address.file)
    return db
  }
  const reading = <T>(body: (db: Db) => T): Promise<T> => {
    const current = same()
    return untilFree(current, LOCK_WAIT_MS, () => inReadTransaction(current, () => body(current)))
  }
  return {
    capabilities: {
      exactFence: true,
      snapshotReads: true,
      pushdownFingerprint: true,
      formats: ['plain_csv'],
    },
    async identity() {
      if (idOf(address.file) !== fileId) {
        fileId = idOf(address.file)
        db.close()
        db = openFile(address, address.readOnly)
      }
      return reading((current) => identityOf(current, fileId))
    },
    list: () => reading(listTables),
    describe: (table, declared) => reading((current) => describeTable(current, table, declared)),
    fence: async (request) => takeFence(same(), request, context, state),
    async openReader(request) {
      same()
      const reader = openFile(address, true)
      try {
        const opened = await openReader(reader, request, context, `${fileId}/${++snapshots}`)
        same()
        return opened
      } catch (error) {
        reader.close()
        throw error
      }
    },
    async openLook(request) {
      same()
      const reader = openFile(address, true)
      try {
        const look = await openLook(reader, request, `${fileId}/${++snapshots}`)
        same()
        return look
      } catch (error) {
        reader.close()
        throw error
      }
    },
    loadFacts: (request) => reading((current) => readLoadFacts(current, request)),
    explain: (request, range) =>
      reading((current) => explainRange(current, request, columnOf(current, request), range)),
    diagnose: async (request) => diagnoseSource(same(), request),
    async diagnoseTable(request) {
      same()
      return diagnoseTable(address, request)
    },
    async close() {
      db.close()
    },
  }
}

function columnOf(db: Db, request: ReaderRequest) {
  const facts = readTableFacts(db, request.shape.table)
  if (facts) return orderedColumn(request, facts)
  throw new PlimsollError('SCHEMA_CHANGED', `${request.shape.table.name} is gone`)
}

function idOf(file: string): string {
  const { dev, ino } = statFile(file)
  return `${dev}:${ino}`
}

function replaced(file: string): PlimsollError {
  return new PlimsollError('SOURCE_CHANGED', `another file took the place of ${file} during the run`, {
    hint: 'Run again: the new file is then compared with what was read before.',
  })
}
