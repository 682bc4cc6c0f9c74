import { assert } from '../assert.ts'
import { canonicalJson } from '../canonical-json.ts'
import { type ColumnForm, canonicalTypeOf } from './canonical-type.ts'
import type { ComparedColumn, ComparisonPlan } from './comparison.ts'

export interface PlanRequest {
  readonly shape: { readonly columns: readonly (Omit<ColumnForm, 'asText'> & { readonly name: string })[] }
  readonly key: readonly string[]
  readonly order: { readonly column: string }
  readonly asText: readonly string[]
  readonly destinationEngine: string
  /** SHA-256 in hex. */
  readonly digestHex: (text: string) => string
  readonly digest?: ComparisonPlan['digest']
  /** Columns that are not landed, with the reason. */
  readonly leaveOut?: ComparisonPlan['leftOut']
}

/** The plan of a comparison: key columns first, then the others in the source's order, with its hash (spec F1, F6). */
export function makeComparisonPlan(request: PlanRequest): ComparisonPlan {
  const { shape, key, order, asText, destinationEngine, leaveOut = [] } = request
  const left = new Set(leaveOut.map(({ column }) => column))
  const compared = shape.columns
    .filter(({ name }) => !left.has(name))
    .map((column): ComparedColumn => {
      const form = { ...column, asText: asText.includes(column.name) }
      return { name: column.name, canonical: canonicalTypeOf(form) }
    })
  const keyColumns = key.map((name) => compared.find((column) => column.name === name)!)
  assert(
    keyColumns.every((column) => column !== undefined) && compared.some(({ name }) => name === order.column),
    'the key and the position column are compared',
  )
  const columns = [...keyColumns, ...compared.filter(({ name }) => !key.includes(name))]
  const plan = {
    columns,
    keyCount: key.length === 0 ? columns.length : key.length,
    position: order.column,
    digest: request.digest ?? ('md5' as const),
    leftOut: leaveOut,
  }
  return { ...plan, hash: request.digestHex(canonicalJson({ ...plan, destinationEngine })) }
}
