import { assert } from '../../kernel/assert.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import type { OpenRun, StoredRecord } from '../catalog.ts'
import { sealRecord, sealUnopened } from '../record-chain.ts'
import { atomically, type Db, reading } from './database.ts'

const RECORD = 'SELECT run_id AS runId, stream, sequence, json, hash, prev FROM record'
const OPEN_RUN = 'SELECT run_id AS runId, stream, epoch, opened_us AS openedUs, host, pid, kind FROM open_run'

export function openRun(db: Db, run: OpenRun): void {
  atomically(db, () => {
    assert(findRecord(db, run.runId) === undefined, `run ${run.runId} was closed already`)
    insertOpenRun(db, run)
  })
}

export function insertOpenRun(db: Db, run: OpenRun): void {
  const sql = 'INSERT INTO open_run VALUES (?, ?, ?, ?, ?, ?, ?)'
  db.prepare(sql).run(run.runId, run.stream, run.epoch, run.openedUs, run.host, run.pid, run.kind)
}

/** Oldest first. */
export function openRuns(db: Db, stream: string): readonly OpenRun[] {
  const sql = `${OPEN_RUN} WHERE stream = ? ORDER BY opened_us, run_id`
  const rows = reading(db, () => db.prepare(sql).all(stream)) as (OpenRun & { epoch: bigint; pid: bigint })[]
  return rows.map((row) => ({ ...row, epoch: Number(row.epoch), pid: Number(row.pid) }))
}

/** The open run becomes the stream's next record: either both are done or neither (spec E72). */
export function closeRun(
  db: Db,
  runId: string,
  stream: string,
  record: Readonly<Record<string, unknown>>,
): StoredRecord {
  return atomically(db, () => {
    const gone = db.prepare('DELETE FROM open_run WHERE run_id = ? AND stream = ?').run(runId, stream)
    if (gone.changes !== 1)
      throw new PlimsollError('LEASE_FENCED_OUT', `run ${runId} of ${stream} is not open any more`)
    const sealed = sealRecord(runId, stream, record, listRecords(db, stream, 1)[0])
    insertRecord(db, sealed)
    return sealed
  })
}

/** The next record of a stream, of something that is no run (spec A57). */
export function appendRecord(
  db: Db,
  stream: string,
  record: Readonly<Record<string, unknown>>,
): StoredRecord {
  return atomically(db, () => {
    const sealed = sealUnopened(stream, record, listRecords(db, stream, 1)[0])
    insertRecord(db, sealed)
    return sealed
  })
}

export function insertRecord(db: Db, record: StoredRecord): void {
  const sql = 'INSERT INTO record (run_id, stream, sequence, json, hash, prev) VALUES (?, ?, ?, ?, ?, ?)'
  db.prepare(sql).run(record.runId, record.stream, record.sequence, record.json, record.hash, record.prev)
}

/** Newest first; of one stream, or of all in the order in which they were closed. */
export function listRecords(db: Db, stream: string | undefined, limit: number): readonly StoredRecord[] {
  const rows = reading(db, () =>
    stream === undefined
      ? db.prepare(`${RECORD} ORDER BY id DESC LIMIT ?`).all(limit)
      : db.prepare(`${RECORD} WHERE stream = ? ORDER BY sequence DESC LIMIT ?`).all(stream, limit),
  )
  return (rows as RecordRow[]).map(toRecord)
}

/** Newest first; by an index on the kind, however many records there are between them. */
export function listRecordsOfKind(
  db: Db,
  stream: string,
  kind: string,
  limit: number,
): readonly StoredRecord[] {
  const sql = `${RECORD} WHERE stream = ? AND json_extract(json, '$.kind') = ? ORDER BY sequence DESC LIMIT ?`
  return (reading(db, () => db.prepare(sql).all(stream, kind, limit)) as RecordRow[]).map(toRecord)
}

/** Oldest first. */
export function listRecordsAfter(
  db: Db,
  stream: string,
  after: number,
  limit: number,
): readonly StoredRecord[] {
  const sql = `${RECORD} WHERE stream = ? AND sequence > ? ORDER BY sequence LIMIT ?`
  return (reading(db, () => db.prepare(sql).all(stream, after, limit)) as RecordRow[]).map(toRecord)
}

export function findRecord(db: Db, runId: string): StoredRecord | undefined {
  const row = reading(db, () => db.prepare(`${RECORD} WHERE run_id = ? ORDER BY id`).get(runId)) as
    | RecordRow
    | undefined
  return row && toRecord(row)
}

type RecordRow = Omit<StoredRecord, 'sequence'> & { readonly sequence: bigint }

function toRecord(row: RecordRow): StoredRecord {
  return { ...row, sequence: Number(row.sequence) }
}
