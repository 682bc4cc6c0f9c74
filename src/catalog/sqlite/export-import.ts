import { canonicalJson } from '../../kernel/canonical-json.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import {
  alarmFromJson,
  alarmToJson,
  type CatalogExport,
  ledgerFromRow,
  ledgerToRow,
  parseExport,
  type StreamExport,
} from '../exchange.ts'
import { insertAlarm, listAlarms } from './alarms.ts'
import { atomically, type Db } from './database.ts'
import { insertFindings, listFindings } from './findings.ts'
import { remember } from './memory.ts'
import { insertRange, listRanges } from './ranges.ts'
import { insertOpenRun, insertRecord, listRecords, openRuns } from './runs.ts'

const STREAMS = `SELECT stream FROM record UNION SELECT stream FROM ledger UNION SELECT stream FROM open_run
  UNION SELECT stream FROM lease UNION SELECT stream FROM alarm UNION SELECT stream FROM finding ORDER BY 1`
/** SQLite takes a negative limit for none. */
const ALL = -1

export function listStreams(db: Db): readonly string[] {
  return db.prepare(STREAMS).pluck().all() as string[]
}

/** The catalog, or one stream with the memory of that scope, as canonical JSON of one snapshot. */
export function exportCatalog(db: Db, stream: string | undefined): string {
  return atomically(db, () => {
    const streams = listStreams(db).filter((each) => stream === undefined || each === stream)
    if (stream !== undefined && streams.length === 0) throw unknownStream(db, stream)
    const content: CatalogExport = {
      format: 'plimsoll-catalog',
      version: 1,
      streams: streams.map((each) => exportStream(db, each)),
      memory: listMemory(db, stream),
    }
    return canonicalJson(content)
  })
}

/**
 * Adds what an export holds, all or nothing. Streams and memory that are here already must be identical, apart from
 * the epoch, of which the larger stands: STATE_INVALID otherwise.
 */
export function importCatalog(db: Db, text: string): void {
  const { streams, memory } = parseExport(text)
  atomically(db, () => {
    const here = new Set(listStreams(db))
    for (const each of streams) {
      if (!here.has(each.stream)) insertStream(db, each)
      else if (!sameStream(exportStream(db, each.stream), each)) throw differs(`stream ${each.stream}`)
      raiseEpoch(db, each.stream, each.epoch)
    }
    const known = new Map(listMemory(db, undefined).map((each) => [`${each.scope}\0${each.name}`, each.json]))
    for (const { scope, name, json } of memory) {
      const before = known.get(`${scope}\0${name}`)
      if (before !== undefined && before !== json) throw differs(`memory ${name} of ${scope}`)
      remember(db, scope, name, json)
    }
  })
}

function exportStream(db: Db, stream: string): StreamExport {
  const epoch = db.prepare('SELECT epoch FROM lease WHERE stream = ?').pluck().get(stream) as
    | bigint
    | undefined
  return {
    stream,
    epoch: Number(epoch ?? 0n),
    records: [...listRecords(db, stream, ALL)].reverse().map(({ stream: _, ...record }) => record),
    openRuns: openRuns(db, stream).map(({ stream: _, ...run }) => ({
      ...run,
      openedUs: String(run.openedUs),
    })),
    ranges: listRanges(db, stream, undefined).map(ledgerToRow),
    alarms: listAlarms(db, false)
      .filter((alarm) => alarm.stream === stream)
      .map(alarmToJson),
    findings: listFindings(db, { stream, limit: ALL }).map(({ stream: _, ...finding }) => finding),
  }
}

function insertStream(db: Db, content: StreamExport): void {
  const { stream } = content
  for (const record of content.records) insertRecord(db, { ...record, stream })
  for (const run of content.openRuns) insertOpenRun(db, { ...run, stream, openedUs: BigInt(run.openedUs) })
  for (const row of content.ranges) insertRange(db, ledgerFromRow(stream, row))
  for (const alarm of content.alarms) insertAlarm(db, alarmFromJson(stream, alarm))
  insertFindings(
    db,
    content.findings.map((finding) => ({ ...finding, stream })),
  )
}

function raiseEpoch(db: Db, stream: string, epoch: number): void {
  const sql = `INSERT INTO lease (stream, epoch) VALUES (?, ?)
    ON CONFLICT (stream) DO UPDATE SET epoch = max(epoch, excluded.epoch)`
  db.prepare(sql).run(stream, epoch)
}

function sameStream(a: StreamExport, b: StreamExport): boolean {
  return canonicalJson({ ...a, epoch: 0 }) === canonicalJson({ ...b, epoch: 0 })
}

function listMemory(db: Db, scope: string | undefined): CatalogExport['memory'] {
  const sql = 'SELECT scope, name, json FROM memory WHERE scope = coalesce(?, scope) ORDER BY scope, name'
  return db.prepare(sql).all(scope ?? null) as CatalogExport['memory']
}

function unknownStream(db: Db, stream: string): PlimsollError {
  return new PlimsollError('STATE_INVALID', `the catalog knows no stream ${stream}`, {
    hint: `It knows: ${listStreams(db).join(', ') || 'none'}.`,
  })
}

function differs(what: string): PlimsollError {
  return new PlimsollError('STATE_INVALID', `the catalog holds another ${what} already`, {
    hint: 'Import into an empty catalog. Nothing was imported.',
  })
}
