import type {
  Destination,
  DestinationCapabilities,
  DestinationOptions,
  Landing,
  StoredClaim,
  TargetTable,
} from '../destination.ts'
import { lockReceipt, readClaim, readClaims, writeClaim } from './claim-rows.ts'
import { hasAnyKey } from './has-any-key.ts'
import { land } from './land.ts'
import { listTables } from './list-tables.ts'
import { openLook } from './look/look.ts'
import { removeRows } from './look/remove.ts'
import { prepareTable } from './prepare.ts'
import { openSessions, STATEMENT_MAX_MS } from './sessions.ts'
import { ensureStore, readIdentity, storeExists, watermarksExist } from './store.ts'
import { noteWatermark, readWatermarks } from './watermark-table.ts'

const CAPABILITIES: DestinationCapabilities = {
  transactionalClaim: true,
  formats: ['pg_text', 'plain_csv'],
  modes: ['upsert', 'history'],
  pushdownFingerprint: true,
}

/** A PostgreSQL database as a destination: rows and claim in one transaction (spec E53 to E61). */
export function openDestination({ url, context }: DestinationOptions): Destination {
  const sessions = openSessions(url)
  let ready: Promise<void> | undefined
  let known: ReturnType<Destination['identity']> | undefined

  const ensure = () => {
    ready ??= ensureStore(sessions).catch((error) => {
      ready = undefined
      throw error
    })
    return ready
  }
  const identity = () => {
    known ??= ensure()
      .then(() => sessions.use(readIdentity))
      .catch((error) => {
        known = undefined
        throw error
      })
    return known
  }
  const claim = (stream: string) =>
    sessions.use(async (session) => ((await storeExists(session)) ? readClaim(session, stream) : undefined))

  const claims = () =>
    sessions.use(async (session) => ((await storeExists(session)) ? readClaims(session) : []))

  const prepare = async (table: TargetTable, present: StoredClaim | undefined) => {
    await ensure()
    const prepared = await sessions.transaction((session) =>
      prepareTable(session, table, present, sessions.versionNumber()),
    )
    if (prepared.kind === 'columns_added') await context.reach('schema.destination_altered')
    return prepared
  }

  return {
    capabilities: CAPABILITIES,
    identity,
    claim,
    tables: () => sessions.use(listTables),
    claims,
    prepare,
    writeClaim: async (next, expected) => {
      await ensure()
      await sessions.transaction((session) => writeClaim(session, next, expected))
    },
    land: async (landing: Landing) =>
      land(sessions, landing, { reach: context.reach, destinationId: (await identity()).id }),
    receiptOf: async (stream, batchId) =>
      sessions.transaction(async (session) => {
        if (!(await storeExists(session))) return undefined
        // The old transaction may be in the middle of its merge; nothing can be said before it ends.
        await session.query(`SET LOCAL lock_timeout = ${STATEMENT_MAX_MS}`)
        return lockReceipt(session, stream, batchId)
      }),
    openLook: (request) => openLook(sessions, request),
    remove: async (removal) => {
      await ensure()
      return sessions.transaction((session) => removeRows(session, sessions.versionNumber(), removal))
    },
    hasAnyKey: (table, keys) => sessions.use((session) => hasAnyKey(session, table, keys)),
    watermarks: () =>
      sessions.use(async (session) => ((await watermarksExist(session)) ? readWatermarks(session) : [])),
    noteCompleteness: (stream, note) =>
      sessions.use(async (session) => {
        if (await watermarksExist(session)) await noteWatermark(session, stream, note)
      }),
    /** Stages are temporary tables of their transaction: a dead run leaves nothing behind. */
    sweep: async () => [],
    close: () => sessions.close(),
  }
}
