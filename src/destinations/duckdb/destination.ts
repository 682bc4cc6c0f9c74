import type {
  Destination,
  DestinationCapabilities,
  DestinationOptions,
  StoredClaim,
  TargetTable,
} from '../destination.ts'
import { readClaim, readClaims, readReceipt, writeClaim } from './claim-rows.ts'
import { DEFAULT_MEMORY_LIMIT_BYTES, useDatabase } from './database.ts'
import { filePathOf } from './file-path.ts'
import { hasAnyKey } from './has-any-key.ts'
import { land } from './land.ts'
import { listTables } from './list-tables.ts'
import { openLook } from './look/look.ts'
import { removeRows } from './look/remove.ts'
import { sweepPipes } from './pipe.ts'
import { prepareTable } from './prepare-table.ts'
import { ensureStore, hasStore, readIdentity } from './store.ts'
import { noteWatermark, readWatermarks } from './watermark-table.ts'

const CAPABILITIES: DestinationCapabilities = {
  transactionalClaim: true,
  formats: ['plain_csv'],
  modes: ['upsert', 'history'],
  pushdownFingerprint: true,
}

/** A DuckDB file as a destination: rows and claim in one transaction (spec E53 to E61). */
export async function openDestination({
  url,
  memoryLimitBytes,
  context,
}: DestinationOptions): Promise<Destination> {
  const database = await useDatabase(filePathOf(url), memoryLimitBytes ?? DEFAULT_MEMORY_LIMIT_BYTES)
  const { reader, writer, writing, catalog } = database
  let ready: Promise<{ id: string; engine: string; version: string }> | undefined

  /** Our tables and identity; made by the first call that writes. */
  const ensure = () => {
    ready ??= writing
      .run(() => ensureStore(writer))
      .then(() => readIdentity(reader))
      .catch((error) => {
        ready = undefined
        throw error
      })
    return ready
  }
  const ifStored = async <T>(read: () => Promise<T>, otherwise: T): Promise<T> =>
    ready || (await hasStore(reader)) ? read() : otherwise

  const hasWatermarks = async () => ready !== undefined || hasStore(reader, 'plimsoll_watermarks')

  const prepare = async (table: TargetTable, claim: StoredClaim | undefined) => {
    await ensure()
    const prepared = await writing.run(() =>
      writer.transaction(() => prepareTable(writer, catalog, table, claim)),
    )
    if (prepared.kind === 'columns_added') await context.reach('schema.destination_altered')
    return prepared
  }

  return {
    capabilities: CAPABILITIES,
    identity: ensure,
    claim: (stream) => ifStored(() => readClaim(reader, stream), undefined),
    tables: () => listTables(reader),
    claims: () => ifStored(() => readClaims(reader), []),
    prepare,
    writeClaim: async (claim, expected) => {
      await ensure()
      await writing.run(() => writer.transaction(() => writeClaim(writer, claim, expected)))
    },
    land: async (landing) =>
      land(database, landing, { reach: context.reach, destinationId: (await ensure()).id }),
    /** Behind the landings on this file: a process is never asked about a transaction of another one. */
    receiptOf: (stream, batchId) =>
      writing.run(() => ifStored(() => readReceipt(writer, stream, batchId), undefined)),
    openLook: (request) => openLook(database, request),
    remove: async (removal) => {
      await ensure()
      return writing.run(() => writer.transaction(() => removeRows(writer, catalog, removal)))
    },
    hasAnyKey: (table, keys) => hasAnyKey(reader, catalog, table, keys),
    watermarks: async () => ((await hasWatermarks()) ? readWatermarks(reader) : []),
    noteCompleteness: (stream, note) =>
      writing.run(async () => {
        if (await hasWatermarks()) await noteWatermark(writer, stream, note)
      }),
    sweep: sweepPipes,
    close: () => database.release(),
  }
}
