import type { PositionJson, PositionKind } from '../kernel/position.ts'
import type { RangeJson } from '../kernel/range.ts'
import type { OrderJson } from './facts.ts'

/**
 * The parts of a record (spec E72, A57) that the program reads again, with the types they had before they became texts.
 * Any may be absent: a run that died says little, and an audit has no slices.
 */
export interface RecordView {
  readonly run_id?: string
  readonly stream?: string
  readonly kind?: string
  readonly outcome?: string
  readonly opened_us?: string
  readonly generation?: number
  readonly range?: RangeJson
  readonly watermark_before?: PositionJson | null
  readonly watermark_after?: PositionJson | null
  readonly complete_through?: string | null
  readonly proof?: string
  readonly order?: OrderJson
  readonly overlap?: { readonly amount: string; readonly origin: string }
  readonly fence?: FenceView
  readonly slices?: readonly SliceView[]
  readonly counts?: Readonly<Record<string, number>>
  readonly alarms?: readonly { readonly name: string; readonly text: string }[]
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string | null }
  readonly lanes?: Readonly<Record<string, { readonly rowsRead: string | number }>>
  readonly durations_ms?: Readonly<Record<string, number>>
  readonly newest?: PositionJson | null
  readonly adopted?: readonly RangeJson[]
  readonly reckoned_from?: PositionJson | null
  readonly holes?: readonly RangeJson[]
  readonly held_because?: string | null
  readonly person?: string
  readonly reason?: string
  readonly run?: string
  readonly open_decrees?: readonly string[]
  readonly row_count?: string
  readonly landed_count?: string
  readonly closed_us?: string
  readonly bills?: readonly { readonly key: string; readonly bill: number }[]
  /** Of a decree or a bill. */
  readonly key?: string
  readonly receipt_check?: { readonly verdict?: string }
  /** Of an audit or reconcile: its scope, as canonical position texts, and `1` where it was cut. */
  readonly from?: string | null
  readonly settled_before?: string
  readonly at_least?: string
  readonly lag_us?: string | null
}

export interface FenceView {
  readonly method?: string
  readonly proof?: string
  readonly proofReason?: string
  readonly heldBecause?: string | null
  readonly witnesses?: readonly Readonly<Record<string, unknown>>[]
  readonly value?: PositionJson | null
  readonly t0?: string
  readonly nextValue?: string
  readonly clockStepUs?: string
  readonly decrees?: readonly { readonly key: string }[]
  readonly logPosition?: { readonly text: string } | null
}

export interface SliceView {
  readonly range: RangeJson
  readonly receipt: Readonly<Record<string, unknown>> & {
    readonly batchId?: string
    readonly rowsRead: number
  }
}

/** Reads a record back; positions stand beside their kind again, counts are numbers. */
export function readRecord({ json }: { readonly json: string }): RecordView {
  const said = JSON.parse(json) as Raw
  const at = (value: unknown): PositionJson | null => positionAt(value, said.position_kind)
  const range = (raw: Raw): RangeJson => ({ lower: at(raw.lower), upper: at(raw.upper)! })
  const has = (name: string): boolean => said[name] !== undefined && said[name] !== null
  return {
    ...said,
    ...(has('generation') ? { generation: Number(said.generation) } : {}),
    ...(has('upper') ? { range: range(said) } : {}),
    ...('watermark_before' in said ? { watermark_before: at(said.watermark_before) } : {}),
    ...('watermark_after' in said ? { watermark_after: at(said.watermark_after) } : {}),
    ...(has('newest') ? { newest: at(said.newest) } : {}),
    ...('reckoned_from' in said ? { reckoned_from: at(said.reckoned_from) } : {}),
    ...(has('adopted') ? { adopted: (said.adopted as Raw[]).map(range) } : {}),
    ...(has('holes') ? { holes: (said.holes as Raw[]).map(range) } : {}),
    ...(has('counts') ? { counts: numbers(said.counts) } : {}),
    ...(has('durations_ms') ? { durations_ms: numbers(said.durations_ms) } : {}),
    ...(has('bills') ? { bills: (said.bills as Raw[]).map(bill) } : {}),
    ...(has('slices') ? { slices: (said.slices as Raw[]).map((raw) => slice(raw, range)) } : {}),
  } as RecordView
}

type Raw = Readonly<Record<string, unknown>>

function positionAt(value: unknown, kind: unknown): PositionJson | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'object') return value as PositionJson
  return { kind: kind as PositionKind, value: String(value) }
}

function slice(raw: Raw, range: (raw: Raw) => RangeJson): SliceView {
  const { receipt } = raw as { receipt: Raw }
  return {
    range: 'range' in raw ? (raw.range as RangeJson) : range(raw),
    receipt: { ...receipt, rowsRead: Number(receipt.rowsRead) },
  }
}

function bill(raw: Raw): { key: string; bill: number } {
  return { key: String(raw.key), bill: Number(raw.bill) }
}

function numbers(raw: unknown): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(raw as Raw).map(([name, value]) => [name, Number(value)]))
}
