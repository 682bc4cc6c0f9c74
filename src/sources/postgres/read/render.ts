import { quoteIdentifier } from '../../../kernel/sql-text.ts'
import type { LogicalType } from '../../../kernel/types.ts'
import type { ColumnShape, WireFormat } from '../../source.ts'

/**
 * The select list that makes the server print each column as the wire format says. Columns whose own output is
 * already right stand bare, so that COPY prints them at full speed (spec E52, E75).
 */
export function selectList(
  columns: readonly ColumnShape[],
  format: WireFormat,
  asText: readonly string[],
): string {
  return columns
    .map((column) => {
      const bare = quoteIdentifier(column.name)
      if (asText.includes(column.name)) return bare
      if (isMoney(column)) return `${bare}::numeric`
      if (isMoneyList(column) && format === 'pg_text') return `${bare}::numeric[]`
      return format === 'pg_text' ? bare : plain(bare, column)
    })
    .join(', ')
}

/** Money prints the server's currency sign. */
function isMoney({ nativeType, type }: ColumnShape): boolean {
  return type.name === 'numeric' && nativeType === 'money'
}

const isMoneyList = ({ nativeType }: ColumnShape): boolean => nativeType === 'money[]'

function plain(c: string, column: ColumnShape): string {
  if (column.type.name === 'list') return plainList(c, column.type.of, column.nativeType)
  return plainScalar(c, column.type) ?? c
}

/** A scalar as text in the plain notation, or undefined where the server's own output is that already. */
function plainScalar(c: string, type: LogicalType): string | undefined {
  switch (type.name) {
    case 'timestamp':
      return eraAware(c, c, 'timestamp')
    case 'timestamptz':
      // The session's zone is UTC, so the cast is to the UTC reading.
      return eraAware(c, `${c}::timestamp`, 'timestamptz')
    case 'date':
      return eraAware(c, c, 'date')
    case 'interval':
      return plainInterval(c)
    default:
      return undefined
  }
}

/** `(BC)` stands after the date. The test costs little for ordinary rows, and the words for infinity stay. */
function eraAware(c: string, shown: string, type: 'timestamp' | 'timestamptz' | 'date'): string {
  const template = type === 'date' ? 'YYYY-MM-DD (BC)' : 'YYYY-MM-DD (BC) HH24:MI:SS.US'
  const first = `'0001-01-01${type === 'timestamptz' ? ' 00:00:00+00' : ''}'::${type}`
  return `CASE WHEN ${c} < ${first} AND ${c} > '-infinity' THEN to_char(${c}::timestamp, '${template}') ELSE ${shown}::text END`
}

/**
 * `months days µs`. The parts are extracted one by one, for an interval's epoch mixes them; each has its own sign.
 * The infinite intervals of PostgreSQL 17 stay words.
 */
function plainInterval(c: string): string {
  const part = (field: string): string => `extract(${field} from ${c})::bigint`
  const months = `${part('year')} * 12 + ${part('month')}`
  const us = `(${part('hour')} * 3600 + ${part('minute')} * 60) * 1000000 + ${part('microseconds')}`
  return `CASE WHEN isfinite(${c}) THEN (${months}) || ' ' || ${part('day')} || ' ' || (${us}) ELSE ${c}::text END`
}

/**
 * A JSON array of element texts where the array is one-dimensional from 1, else the literal. Printing and reading the
 * array once turns every element into exactly the text its type prints; casting the elements would not: it trims
 * char(n) and spells booleans out.
 */
function plainList(c: string, element: LogicalType, nativeType: string): string {
  const simple = `cardinality(${c}) = 0 OR (array_ndims(${c}) = 1 AND array_lower(${c}, 1) = 1)`
  return `CASE WHEN ${simple} THEN array_to_json(${elementTexts(c, element, nativeType)})::text ELSE ${c}::text END`
}

function elementTexts(c: string, element: LogicalType, nativeType: string): string {
  const rendered = plainScalar('e', element)
  if (rendered) return `ARRAY(SELECT ${rendered} FROM unnest(${c}) AS u(e))`
  if (nativeType === 'money[]') return `${c}::numeric[]::text[]`
  // The only type whose arrays are not separated by commas.
  if (nativeType === 'box[]') return `${c}::text[]`
  return `${c}::text::text[]`
}
