import type { LogicalType } from '../../kernel/types.ts'

const SCALAR: Readonly<Record<Exclude<LogicalType['name'], 'numeric' | 'list'>, string>> = {
  bool: 'BOOLEAN',
  int2: 'SMALLINT',
  int4: 'INTEGER',
  int8: 'BIGINT',
  uint8: 'UBIGINT',
  float4: 'FLOAT',
  float8: 'DOUBLE',
  text: 'VARCHAR',
  opaque: 'VARCHAR',
  bytes: 'BLOB',
  date: 'DATE',
  time: 'TIME',
  // DuckDB prints TIMETZ offsets with seconds wrongly (-08:00:07 as -08:07): text keeps them.
  timetz: 'VARCHAR',
  timestamp: 'TIMESTAMP',
  timestamptz: 'TIMESTAMP WITH TIME ZONE',
  interval: 'INTERVAL',
  uuid: 'UUID',
  json: 'JSON',
  jsonb: 'JSON',
  bit: 'BIT',
}

const MAX_PRECISION = 38

/** The DuckDB type that holds every value of a source's type, or all but those it refuses by name (spec E75). */
export function sqlTypeOf(type: LogicalType): string {
  if (type.name === 'list') return `${sqlTypeOf(type.of)}[]`
  if (type.name !== 'numeric') return SCALAR[type.name]
  const decimal = decimalOf(type)
  return decimal ? `DECIMAL(${decimal.precision},${decimal.scale})` : 'VARCHAR'
}

/**
 * Digits of a numeric that fits DECIMAL. PostgreSQL also knows scales above the precision (0.000xx) and below zero
 * (xx000), which DuckDB holds with more digits.
 */
export function decimalOf(type: {
  precision?: number
  scale?: number
}): { precision: number; scale: number } | undefined {
  if (type.precision === undefined) return undefined
  const scale = Math.max(type.scale ?? 0, 0)
  const precision = Math.max(type.precision - Math.min(type.scale ?? 0, 0), scale)
  return precision <= MAX_PRECISION ? { precision, scale } : undefined
}

/**
 * Whether `=` calls values of the type equal that a reader can tell apart: -0 and 0, `1 mon` and `30 days`. Such columns
 * are compared by how they print.
 */
export function needsPrintedComparison(type: LogicalType): boolean {
  if (type.name === 'list') return needsPrintedComparison(type.of)
  return type.name === 'float4' || type.name === 'float8' || type.name === 'interval'
}
