import type { LogicalType, ScalarName } from '../../../kernel/types.ts'

/** A type as the catalog names it; `typmod` holds precision and scale. */
export interface CatalogType {
  readonly schema: string
  readonly name: string
  readonly kind: string
  readonly typmod: number
}

const SCALARS: Readonly<Record<string, ScalarName>> = {
  bool: 'bool',
  int2: 'int2',
  int4: 'int4',
  int8: 'int8',
  oid: 'int8',
  xid8: 'uint8',
  float4: 'float4',
  float8: 'float8',
  text: 'text',
  varchar: 'text',
  bpchar: 'text',
  char: 'text',
  name: 'text',
  bytea: 'bytes',
  date: 'date',
  time: 'time',
  timetz: 'timetz',
  timestamp: 'timestamp',
  timestamptz: 'timestamptz',
  interval: 'interval',
  uuid: 'uuid',
  json: 'json',
  jsonb: 'jsonb',
  bit: 'bit',
  varbit: 'bit',
}

/** What a column holds (spec E75). `element` is set for arrays. */
export function logicalType(type: CatalogType, element: CatalogType | undefined): LogicalType {
  if (element) return { name: 'list', of: logicalType({ ...element, typmod: type.typmod }, undefined) }
  if (type.name === 'citext') return { name: 'text' }
  if (type.schema !== 'pg_catalog') return { name: 'opaque' }
  if (type.name === 'money') return { name: 'numeric' }
  if (type.name === 'numeric') return numericType(type.typmod)
  return { name: SCALARS[type.name] ?? 'opaque' }
}

/** The typmod of numeric holds precision, and scale as 11 bits with a sign (PostgreSQL 15 on; smaller ones before). */
function numericType(typmod: number): LogicalType {
  if (typmod < 4) return { name: 'numeric' }
  const packed = typmod - 4
  return { name: 'numeric', precision: (packed >> 16) & 0xffff, scale: ((packed & 0x7ff) ^ 1024) - 1024 }
}

/** Whether any PostgreSQL server knows the type and can read its values; `reg…` types name objects of one server. */
export function isBuiltin(type: CatalogType, element: CatalogType | undefined): boolean {
  const inner = element ?? type
  return (
    type.schema === 'pg_catalog' &&
    inner.schema === 'pg_catalog' &&
    ['b', 'r', 'm'].includes(inner.kind) &&
    !/^reg(class|type|proc|procedure|oper|operator|config|dictionary|role|namespace|collation|database)$/.test(
      inner.name,
    )
  )
}
