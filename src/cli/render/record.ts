import { stringify } from 'yaml'
import type { StoredRecord } from '../../catalog/catalog.ts'
import { type RecordView, readRecord } from '../../extract/record-view.ts'
import { formatTimestampUs } from '../../kernel/calendar.ts'
import type { Colour } from './colour.ts'
import { formatStored } from './position.ts'
import { formatCount, formatMs, plural } from './quantity.ts'
import { renderFields, renderTable } from './table.ts'

/** When a run began, by the catalog's clock. */
export function openedAt(view: RecordView): string {
  return view.opened_us === undefined
    ? ''
    : formatTimestampUs(BigInt(view.opened_us), 'Z').replace(/\.\d+/, '')
}

/** Runs as a table, newest first. */
export function renderRuns(records: readonly StoredRecord[]): string {
  if (records.length === 0) return 'no runs yet'
  const rows = records.map((record) => {
    const view = readRecord(record)
    const { counts } = view
    return [
      record.runId,
      record.stream,
      view.kind ?? '',
      view.error ? `${view.outcome} ${view.error.code}` : (view.outcome ?? ''),
      openedAt(view),
      counts ? formatCount(counts.rows_read ?? 0) : '',
      counts ? formatCount(counts.late ?? 0) : '',
      view.watermark_after === undefined ? '' : formatStored(view.watermark_after),
      view.durations_ms?.total === undefined ? '' : formatMs(view.durations_ms.total),
    ]
  })
  const head = ['run', 'stream', 'kind', 'outcome', 'began', 'rows', 'late', 'complete below', 'took']
  return renderTable(head, rows, [5, 6])
}

/** The whole record: what matters first in words, then every field. */
export function renderTrace(record: StoredRecord, colour: Colour): string {
  const view = readRecord(record)
  const counts = view.counts ?? {}
  const fields: [string, string][] = [
    ['stream', record.stream],
    ['began', openedAt(view)],
    ['kind', `${view.kind ?? '?'}, ${view.outcome ?? '?'}`],
    [
      'complete',
      `below ${formatStored(view.watermark_after)}, before ${formatStored(view.watermark_before)}`,
    ],
    ['rows', `${plural(counts.rows_read ?? 0, 'row')} read, ${counts.late ?? 0} late`],
    [
      'hash',
      `${record.hash}\nafter ${record.sequence === 1 ? 'none: the first of its stream' : record.prev}`,
    ],
  ]
  if (view.held_because) fields.splice(3, 0, ['held', view.held_because])
  if (view.reason !== undefined)
    fields.splice(3, 0, ['why', `${view.reason}, said ${view.person ?? 'somebody'}`])
  if (view.fence)
    fields.splice(3, 0, [
      'fence',
      `${view.fence.method}, ${view.fence.proof}: ${view.fence.proofReason ?? ''}`,
    ])
  if (view.error)
    fields.push([
      colour.red('error'),
      `${view.error.code}: ${view.error.message}\n${view.error.hint ?? ''}`.trim(),
    ])
  const fieldsOf: unknown = JSON.parse(record.json, (_, value) => (value === null ? 'none' : value))
  const whole = stringify(fieldsOf, { lineWidth: 0, schema: 'failsafe' }).trimEnd()
  return `${colour.bold(`run ${record.runId}`)}\n${renderFields(fields, '  ')}\n\n${whole}`
}

export function recordToJson(record: StoredRecord): Readonly<Record<string, unknown>> {
  const { runId, stream, sequence, hash, prev, json } = record
  return { run_id: runId, stream, sequence, hash, prev, record: JSON.parse(json) }
}
