import type { LandingMode } from '../destinations/destination.ts'
import { canonicalJson } from '../kernel/canonical-json.ts'
import type { CompletenessFacts } from '../kernel/completeness.ts'
import type { PositionOrder } from '../kernel/order.ts'
import type { PositionJson } from '../kernel/position.ts'
import type { RangeJson } from '../kernel/range.ts'
import type { ColumnShape, ServerIdentity, TableShape } from '../sources/source.ts'

/** What a generation began with (spec E71). */
export type GenerationCause = 'first_load' | 'rewind' | 'destination_went_back' | 'timeline_changed'

/** What lies in the claim row beside the watermark, so that a lost catalog costs nothing (spec E61, E66–E68). */
export interface ClaimFacts {
  readonly version: 1
  readonly source: {
    readonly engine: string
    readonly id: string
    readonly database: string
    readonly timeline: string
    readonly logPosition: string
  }
  readonly table: { readonly schema: string; readonly name: string; readonly objectId: string }
  readonly schemaHash: string
  readonly columns: readonly ColumnFact[]
  /** Object ids of the partitions, where the source has such (spec E67). Absent in claims of the first programs. */
  readonly partitions?: readonly string[]
  readonly order: OrderJson
  readonly key: readonly string[]
  readonly mode: LandingMode
  readonly cause: GenerationCause
  readonly parent: number | null
  /** The source's clock at the last fence, µs text; tells a clock that went back between processes (spec E23). */
  readonly t0: string
  /** What a person skipped and nothing has filled since (spec E14). */
  readonly holes?: readonly RangeJson[]
  /** A person asked that the next run takes server, schema and order as it finds them (spec E68, E70). */
  readonly acceptPresent: boolean
  /** What the claim says in instants (assurance A54 to A56). Absent in claims of the first programs. */
  readonly completeness?: CompletenessFacts
  /** Decrees whose bill is open. */
  readonly debts?: readonly Debt[]
}

/** A decree whose bill is not paid (spec E39). */
export interface Debt {
  readonly key: string
  readonly bound: PositionJson
  readonly since: string
}

/** A column as the claim knew it; what is absent was not kept yet, or the column has none. */
export interface ColumnFact extends Pick<ColumnShape, 'name' | 'nativeType'> {
  readonly nullable?: boolean
  readonly collation?: string
  readonly identity?: string
  readonly labels?: readonly string[]
}

export interface OrderJson {
  readonly column: string
  readonly kind: PositionOrder['kind']
  readonly flavour: string
  readonly unit: string
  readonly encoding: string
  readonly template: string
  readonly zone: string
  readonly collation: string
  readonly grain: string
  readonly stampedBy: PositionOrder['stampedBy']
}

export function orderToJson(order: PositionOrder): OrderJson {
  return {
    column: order.column,
    kind: order.kind,
    flavour: order.flavour ?? '',
    unit: order.unit ?? '',
    encoding: order.encoding ?? '',
    template: order.template ?? '',
    zone: order.zone ?? '',
    collation: order.collation ?? '',
    grain: String(order.grain),
    stampedBy: order.stampedBy,
  }
}

/** The inverse of orderToJson; the tick is not kept and stands at 1. */
export function orderFromJson(json: OrderJson): PositionOrder {
  const { column, kind, stampedBy } = json
  const filled = Object.entries(json).filter(([name, value]) => OPTIONAL.has(name) && value !== '')
  return { column, kind, stampedBy, tick: 1n, grain: BigInt(json.grain), ...Object.fromEntries(filled) }
}

const OPTIONAL = new Set(['flavour', 'unit', 'encoding', 'template', 'zone', 'collation'])

export function sourceFacts({
  engine,
  id,
  database,
  timeline,
  logPosition,
}: ServerIdentity): ClaimFacts['source'] {
  return { engine, id, database, timeline, logPosition: logPosition?.text ?? '' }
}

export function makeFacts(
  identity: ServerIdentity,
  shape: TableShape,
  order: PositionOrder,
  rest: Pick<ClaimFacts, 'key' | 'mode' | 'cause' | 'parent' | 't0'>,
): ClaimFacts {
  return {
    version: 1,
    source: sourceFacts(identity),
    table: { ...shape.table, objectId: shape.objectId },
    schemaHash: shape.schemaHash,
    columns: shape.columns.map(columnFact),
    ...(shape.partitions && { partitions: shape.partitions.map(({ objectId }) => objectId) }),
    order: orderToJson(order),
    acceptPresent: false,
    ...rest,
  }
}

function columnFact({ name, nativeType, nullable, collation, identity, labels }: ColumnShape): ColumnFact {
  const known = Object.entries({ collation, identity, labels }).filter(([, value]) => value !== undefined)
  return { name, nativeType, nullable, ...Object.fromEntries(known) }
}

export function writeFacts(facts: ClaimFacts): string {
  return canonicalJson(facts)
}

export function readFacts(text: string): ClaimFacts {
  return JSON.parse(text) as ClaimFacts
}
