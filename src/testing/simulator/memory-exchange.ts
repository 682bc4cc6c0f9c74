import {
  alarmFromJson,
  alarmToJson,
  type CatalogExport,
  ledgerFromRow,
  ledgerToRow,
  parseExport,
  type StreamExport,
} from '../../catalog/exchange.ts'
import { canonicalJson } from '../../kernel/canonical-json.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import { knownStreams, type MemoryStore, rangeKey } from './memory-store.ts'

/** The catalog, or one stream with the memory of that scope, as canonical JSON. */
export function exportStore(store: MemoryStore, stream: string | undefined): string {
  const streams = knownStreams(store).filter((each) => stream === undefined || each === stream)
  if (stream !== undefined && streams.length === 0) {
    throw new PlimsollError('STATE_INVALID', `the catalog knows no stream ${stream}`)
  }
  return canonicalJson({
    format: 'plimsoll-catalog',
    version: 1,
    streams: streams.map((each) => exportStream(store, each)),
    memory: exportMemory(store).filter(({ scope }) => stream === undefined || scope === stream),
  } satisfies CatalogExport)
}

/** Adds what an export holds, all or nothing; what is here already must be identical, apart from the epoch. */
export function importStore(store: MemoryStore, text: string): void {
  const { streams, memory } = parseExport(text)
  const here = new Set(knownStreams(store))
  for (const each of streams) {
    if (here.has(each.stream) && !sameStream(exportStream(store, each.stream), each)) {
      throw differs(`stream ${each.stream}`)
    }
  }
  for (const { scope, name, json } of memory) {
    const known = store.memory.get(scope)?.get(name)
    if (known !== undefined && known !== json) throw differs(`memory ${name} of ${scope}`)
  }
  for (const each of streams) {
    if (!here.has(each.stream)) importStream(store, each)
    store.epochs.set(each.stream, Math.max(store.epochs.get(each.stream) ?? 0, each.epoch))
  }
  for (const { scope, name, json } of memory) {
    store.memory.set(scope, (store.memory.get(scope) ?? new Map()).set(name, json))
  }
}

function exportStream(store: MemoryStore, stream: string): StreamExport {
  const own = <T extends { readonly stream: string }>(list: Iterable<T>): Omit<T, 'stream'>[] =>
    [...list].filter((each) => each.stream === stream).map(({ stream: _, ...rest }) => rest)
  return {
    stream,
    epoch: store.epochs.get(stream) ?? 0,
    records: own(store.records),
    openRuns: own(store.openRuns.values()).map((run) => ({ ...run, openedUs: String(run.openedUs) })),
    ranges: [...store.ranges.values()].filter((entry) => entry.stream === stream).map(ledgerToRow),
    alarms: store.alarms.filter((alarm) => alarm.stream === stream).map(alarmToJson),
    findings: own(store.findings.values()),
  }
}

function importStream(store: MemoryStore, content: StreamExport): void {
  const { stream } = content
  for (const record of content.records) store.records.push({ ...record, stream })
  for (const run of content.openRuns) {
    store.openRuns.set(run.runId, { ...run, stream, openedUs: BigInt(run.openedUs) })
  }
  for (const row of content.ranges) {
    const entry = ledgerFromRow(stream, row)
    store.ranges.set(rangeKey(entry), entry)
  }
  for (const alarm of content.alarms)
    store.alarms.push({ ...alarmFromJson(stream, alarm), id: store.alarms.length + 1 })
  for (const finding of content.findings) store.findings.set(finding.id, { ...finding, stream })
}

const sameStream = (a: StreamExport, b: StreamExport): boolean =>
  canonicalJson({ ...a, epoch: 0 }) === canonicalJson({ ...b, epoch: 0 })

function exportMemory(store: MemoryStore): CatalogExport['memory'] {
  const all = [...store.memory].flatMap(([scope, names]) =>
    [...names].map(([name, json]) => ({ scope, name, json })),
  )
  return all.sort((a, b) => (a.scope === b.scope ? (a.name < b.name ? -1 : 1) : a.scope < b.scope ? -1 : 1))
}

function differs(what: string): PlimsollError {
  return new PlimsollError('STATE_INVALID', `the catalog holds another ${what} already`, {
    hint: 'Import into an empty catalog. Nothing was imported.',
  })
}
