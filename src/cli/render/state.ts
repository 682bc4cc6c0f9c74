import type { Catalog, Lease } from '../../catalog/catalog.ts'
import type { LedgerEntry } from '../../kernel/ledger.ts'
import { rangeFromJson, rangeToJson } from '../../kernel/range.ts'
import type { Colour } from './colour.ts'
import { toJson } from './error.ts'
import { formatRange, formatStored } from './position.ts'
import { renderFields, renderTable } from './table.ts'

/** What the catalog holds of one stream, beside its runs. */
export interface StreamState {
  readonly stream: string
  readonly catalogKey: string
  /** What the engine remembers between runs; its own form. */
  readonly memory: Readonly<Record<string, unknown>> | undefined
  readonly ranges: readonly LedgerEntry[]
  readonly lease: Lease | undefined
}

const RANGES_SHOWN = 20

export async function stateOf(catalog: Catalog, stream: string, catalogKey: string): Promise<StreamState> {
  const text = await catalog.memory(catalogKey, 'stream')
  const leases = await catalog.leases()
  return {
    stream,
    catalogKey,
    memory: text === undefined ? undefined : JSON.parse(text),
    ranges: await catalog.ranges(catalogKey),
    lease: leases.find((lease) => lease.stream === catalogKey),
  }
}

export function renderState({ stream, memory, ranges, lease }: StreamState, colour: Colour): string {
  if (!memory) return `${colour.bold(stream)}  nothing is remembered`
  const { watermark, ...rest } = memory as { watermark: Parameters<typeof formatStored>[0] }
  const fields: [string, string][] = [['watermark', formatStored(watermark)]]
  for (const [name, value] of Object.entries(rest)) fields.push([words(name), plain(name, value)])
  fields.push(['lease', lease ? `${lease.holder}, epoch ${lease.epoch}` : 'none'])
  const shown = ranges.slice(-RANGES_SHOWN)
  const rows = shown.map((entry) => [
    String(entry.generation),
    entry.kind,
    entry.state,
    formatRange(entry.range),
    entry.proof,
    entry.runId,
    entry.reason,
  ])
  const head = ['gen', 'kind', 'state', 'range', 'proof', 'run', 'why']
  const count = ranges.length > shown.length ? `the last ${shown.length} of ${ranges.length} ranges\n` : ''
  return `${colour.bold(stream)}\n${renderFields(fields, '  ')}\n\n${count}${renderTable(head, rows)}`
}

/** `laneCursors` as `lane cursors`. */
const words = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

function plain(name: string, value: unknown): string {
  if (name === 'coverage') return (value as Coverage).map(coverageText).join('\n') || 'nothing'
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const text = toJson(value)
  return text === '[]' || text === '{}' ? 'none' : text
}

type Coverage = readonly (Parameters<typeof rangeFromJson>[0] & {
  readonly state: string
  readonly proof: string
})[]

const coverageText = (entry: Coverage[number]): string =>
  `${formatRange(rangeFromJson(entry))} ${entry.state}, ${entry.proof}`

export function stateToJson({ stream, catalogKey, memory, ranges, lease }: StreamState) {
  return {
    stream,
    catalog_key: catalogKey,
    memory: memory ?? null,
    lease: lease ? { holder: lease.holder, epoch: lease.epoch, expires_us: String(lease.expiresUs) } : null,
    ranges: ranges.map((entry) => ({
      generation: entry.generation,
      run_id: entry.runId,
      kind: entry.kind,
      state: entry.state,
      range: rangeToJson(entry.range),
      proof: entry.proof,
      read_seq: entry.readSeq,
      reason: entry.reason,
    })),
  }
}
