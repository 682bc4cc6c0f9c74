import type {
  Destination,
  Landing,
  Prepared,
  Receipt,
  StoredClaim,
  TargetTable,
} from '../../destinations/destination.ts'
import { assert } from '../../kernel/assert.ts'
import { completenessIn } from '../../kernel/completeness.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import type { ReachFailpoint } from '../../kernel/failpoint.ts'
import { comparePositions, type Position, positionToJson } from '../../kernel/position.ts'
import { formatPosition } from '../../kernel/print.ts'
import type { RowStream } from '../../sources/source.ts'
import { parseWire } from '../source-csv.ts'
import { mergeRows } from './merge-rows.ts'
import { type ModelStore, type StoredRow, type StoredTable, tableName } from './model-store.ts'

export interface ModelDestinationOptions {
  readonly store: ModelStore
  readonly reach: ReachFailpoint
  /** Called when a claim became true: with the landing that brought it, or without for a claim written alone. */
  readonly onClaim?: (
    claim: StoredClaim,
    before: StoredClaim | undefined,
    landing: Landing | undefined,
  ) => void
  readonly onLanded?: (landing: Landing, receipt: Receipt, rows: readonly (string | null)[][]) => void
}

/** One process's connection to a model store. All it does becomes true at once or not at all (spec E56). */
export function createModelDestination(options: ModelDestinationOptions): Destination {
  const { store, reach, onClaim, onLanded } = options
  const setClaim = (claim: StoredClaim, receipt: Receipt | undefined, landing?: Landing): void => {
    const before = store.claims.get(claim.stream)?.claim
    store.claims.set(claim.stream, { claim, receipt })
    showClaim(store, claim)
    onClaim?.(claim, before, landing)
  }
  return {
    capabilities: {
      transactionalClaim: true,
      formats: ['plain_csv'],
      modes: ['upsert', 'history'],
      pushdownFingerprint: false,
    },
    async identity() {
      return { id: store.id, engine: 'model', version: '1' }
    },
    async claim(stream) {
      return store.claims.get(stream)?.claim
    },
    async claims() {
      return [...store.claims.values()].map((entry) => entry.claim)
    },
    async prepare(table, claim) {
      const prepared = prepareTable(store, table, claim)
      if (prepared.kind === 'columns_added') await reach('schema.destination_altered')
      return prepared
    },
    async writeClaim(claim, expected) {
      const entry = store.claims.get(claim.stream)
      const stored = entry?.claim
      if (stored && (!expected || stored.epoch > claim.epoch || stored.epoch !== expected.epoch)) {
        throw fencedOut(claim.stream, stored)
      }
      assert(stored || !expected, `${claim.stream}: the expected claim is not there`)
      if (stored?.generation === claim.generation) assertNotBack(stored.watermark, claim.watermark)
      setClaim(claim, entry?.receipt)
    },
    async land(landing) {
      const incoming = await rowsOf(landing.rows)
      await reach('land.staged')
      const { table, claimAfter } = landing
      const stored = checkClaim(store, landing)
      const name = tableName(table.target)
      const target = store.tables.get(name)
      assert(target, `${name} was not prepared`)
      await reach('land.counted')
      const { rows, keys, ...counts } = mergeRows(target.rows, { ...landing, incoming })
      await reach('land.merged')
      const receipt: Receipt = {
        batchId: landing.batchId,
        stream: table.stream,
        generation: claimAfter.generation,
        readSeq: landing.readSeq,
        rowsRead: incoming.length,
        byteSize: (await landing.rows.done).byteSize,
        ...counts,
        durability: 'committed',
        claimBefore: stored.watermark ? positionToJson(stored.watermark) : null,
        claimAfter: claimAfter.watermark ? positionToJson(claimAfter.watermark) : null,
        destinationId: store.id,
        stageMs: 0,
        mergeMs: 0,
        commitMs: 0,
      }
      const tailKeys = keys.length > 0 ? keys.slice(-3) : stored.tailKeys
      await reach('land.claim_written')
      await reach('land.commit_sent')
      assert(store.claims.get(table.stream)?.claim === stored, 'two landings of a stream at once')
      store.tables.set(name, { ...target, rows })
      onLanded?.(landing, receipt, incoming)
      setClaim({ ...claimAfter, tailKeys }, receipt, landing)
      await reach('land.committed')
      return receipt
    },
    async receiptOf(stream, batchId) {
      const receipt = store.claims.get(stream)?.receipt
      return receipt?.batchId === batchId ? receipt : undefined
    },
    openLook: () => Promise.reject(notCompared()),
    remove: () => Promise.reject(notCompared()),
    async hasAnyKey(table, keys) {
      const rows = store.tables.get(tableName(table.target))?.rows
      return rows !== undefined && (keys.length === 0 || keys.some((key) => rows.has(key)))
    },
    async watermarks() {
      return [...store.watermarks.values()]
    },
    async noteCompleteness(stream, note) {
      const row = store.watermarks.get(stream)
      if (row) store.watermarks.set(stream, { ...row, ...note })
    },
    async sweep() {
      return []
    },
    async close() {},
  }
}

/** The claim's row for people with SQL only (spec A56). */
function showClaim(store: ModelStore, claim: StoredClaim): void {
  const said = completenessIn(claim.facts)
  if (!said) return
  const before = store.watermarks.get(claim.stream)
  const { pipeline, completeThroughUs, fenceTakenUs, overlapUs, decreeCount } = said
  const watermark = formatPosition(claim.watermark)
  store.watermarks.set(claim.stream, {
    lostRowCount: 0,
    recordHash: null,
    ...before,
    heldBy: before?.watermark === watermark ? before.heldBy : null,
    pipeline,
    stream: claim.stream,
    generation: claim.generation,
    watermark,
    completeThroughUs,
    proof: claim.proof,
    fenceTakenUs,
    overlapUs,
    decreeCount,
  })
}

/** Collects a stream; its own error comes through, and fewer rows than the source counted are none. */
async function rowsOf(rows: RowStream): Promise<(string | null)[][]> {
  const chunks: Buffer[] = []
  await new Promise<void>((resolve, reject) => {
    rows.bytes.on('data', (chunk: Buffer) => chunks.push(chunk))
    rows.bytes.once('end', resolve)
    rows.bytes.once('error', reject)
    rows.bytes.once('close', () => reject(new Error('the stream broke off')))
  })
  const found = parseWire(Buffer.concat(chunks).toString('utf8'))
  const { rowCount } = await rows.done
  if (found.length === rowCount) return found
  throw new PlimsollError(
    'DESTINATION_FAILED',
    `the source counted ${rowCount} rows, ${found.length} arrived`,
  )
}

function checkClaim(store: ModelStore, { table, epoch, claimBefore, claimAfter }: Landing): StoredClaim {
  const stored = store.claims.get(table.stream)?.claim
  assert(stored, `${table.stream}: no claim to land under`)
  if (stored.epoch > epoch) throw fencedOut(table.stream, stored)
  assert(
    stored.generation === claimBefore.generation && samePosition(stored.watermark, claimBefore.watermark),
    `${table.stream}: the watermark is not where it was expected`,
  )
  if (claimAfter.generation === stored.generation) assertNotBack(stored.watermark, claimAfter.watermark)
  return stored
}

function assertNotBack(before: Position | undefined, after: Position | undefined): void {
  assert(!before || (after && comparePositions(before, after) <= 0), 'the watermark would move back')
}

const samePosition = (a: Position | undefined, b: Position | undefined): boolean =>
  a && b ? comparePositions(a, b) === 0 : a === b

function fencedOut(stream: string, stored: StoredClaim): PlimsollError {
  return new PlimsollError('LEASE_FENCED_OUT', `${stream}: epoch ${stored.epoch} has taken over`)
}

/** Makes the table or widens it (spec E61, E67). */
function prepareTable(store: ModelStore, table: TargetTable, claim: StoredClaim | undefined): Prepared {
  const name = tableName(table.target)
  const { columns, asText, mode } = table
  const present = store.tables.get(name)
  if (!present) {
    store.tables.set(name, { columns, asText, mode, rows: new Map() })
    return { kind: 'created' }
  }
  if (!claim && present.rows.size > 0) {
    throw new PlimsollError('DESTINATION_NOT_OURS', `${name} holds rows and has no claim`, {
      hint: 'Adopt it by reconcile, or choose another table.',
    })
  }
  const added = missingColumns(name, present, table)
  if (present.rows.size === 0) store.tables.set(name, { ...present, columns, asText })
  if (added.length === 0) return { kind: 'unchanged' }
  if (present.rows.size === 0) return { kind: 'columns_added', columns: added }
  const nulls = added.map(() => null)
  const widen = (row: StoredRow): StoredRow => ({ ...row, values: [...row.values, ...nulls] })
  store.tables.set(name, {
    ...present,
    columns: [...present.columns, ...columns.filter((c) => added.includes(c.name))],
    rows: new Map([...present.rows].map(([key, versions]) => [key, versions.map(widen)])),
  })
  return { kind: 'columns_added', columns: added }
}

function missingColumns(name: string, present: StoredTable, table: TargetTable): string[] {
  const typeIn = (from: Pick<TargetTable, 'columns' | 'asText'>, column: string): string | undefined => {
    const found = from.columns.find((each) => each.name === column)
    return found && JSON.stringify(from.asText.includes(column) ? { name: 'text' } : found.type)
  }
  for (const column of present.columns) {
    const [wanted, found] = [typeIn(table, column.name), typeIn(present, column.name)]
    // An empty table takes another type.
    if (wanted === found || (wanted !== undefined && present.rows.size === 0)) continue
    throw new PlimsollError(
      'DESTINATION_TABLE_MISMATCH',
      `${name}: column ${column.name} cannot take the source's`,
    )
  }
  const known = new Set(present.columns.map((column) => column.name))
  return table.columns.map((column) => column.name).filter((column) => !known.has(column))
}

function notCompared(): PlimsollError {
  return new PlimsollError('NOT_SUPPORTED', 'the model computes no sums beside its rows')
}
