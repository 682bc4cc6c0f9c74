import type { LogicalType } from '../../kernel/types.ts'
import { decimalOf, sqlTypeOf } from './column-type.ts'

/** How one column comes out of `read_csv`: its type there, and the expression that makes the value from it. */
export interface WireColumn {
  readonly csvType: string
  /** Undefined: the value is right as `read_csv` reads it. `refuse` is SQL that raises, naming the value. */
  readonly convert: ((raw: string, refuse: string) => string) | undefined
}

/**
 * What `read_csv` parses exactly passes straight through. The rest comes as text and is converted here, because DuckDB's
 * own cast would round (numeric), turn the unreadable into NULL (timestamptz, through ICU) or does not know the notation.
 */
export function wireColumnOf(type: LogicalType): WireColumn {
  switch (type.name) {
    case 'numeric':
      if (!decimalOf(type)) return { csvType: 'VARCHAR', convert: undefined }
      return { csvType: 'VARCHAR', convert: (raw, refuse) => fromText(type, raw, refuse) }
    case 'timestamptz':
      return { csvType: 'TIMESTAMP', convert: utcInstant }
    case 'bytes':
    case 'interval':
    case 'list':
      return { csvType: 'VARCHAR', convert: (raw, refuse) => fromText(type, raw, refuse) }
    default:
      return { csvType: sqlTypeOf(type), convert: undefined }
  }
}

/** A value from wire text; NULL stays NULL. */
function fromText(type: LogicalType, raw: string, refuse: string): string {
  switch (type.name) {
    case 'text':
    case 'opaque':
    case 'timetz':
      return raw
    case 'numeric':
      return decimalOf(type) ? decimal(type, raw, refuse) : raw
    case 'bytes':
      return `CASE WHEN ${raw} IS NULL THEN NULL WHEN starts_with(${raw}, '\\x') THEN unhex(substr(${raw}, 3)) ELSE ${refuse} END`
    case 'interval':
      return orRefuse(raw, interval(raw), refuse)
    case 'timestamptz':
      return orRefuse(raw, utcInstant(`TRY_CAST(${raw} AS TIMESTAMP)`), refuse)
    case 'list':
      return list(type.of, raw, refuse)
    default:
      return orRefuse(raw, `TRY_CAST(${raw} AS ${sqlTypeOf(type)})`, refuse)
  }
}

const orRefuse = (raw: string, value: string, refuse: string): string =>
  `CASE WHEN ${raw} IS NULL THEN NULL ELSE coalesce(${value}, ${refuse}) END`

/** DuckDB rounds to the scale without a word; so more digits than the scale has, or an exponent, are refused. */
function decimal(type: { precision?: number; scale?: number }, raw: string, refuse: string): string {
  const { precision, scale } = decimalOf(type)!
  const point = `strpos(${raw}, '.')`
  const fits = `(${point} = 0 OR length(${raw}) - ${point} <= ${scale}) AND strpos(lower(${raw}), 'e') = 0`
  const value = `TRY_CAST(${raw} AS DECIMAL(${precision},${scale}))`
  return `CASE WHEN ${raw} IS NULL THEN NULL WHEN ${fits} THEN coalesce(${value}, ${refuse}) ELSE ${refuse} END`
}

/** By number: the cast from TIMESTAMP goes through ICU's doubles, which are off by up to a millisecond at the far end. */
function utcInstant(reading: string): string {
  return `CASE WHEN isfinite(${reading}) THEN make_timestamptz(epoch_us(${reading})) ELSE ${reading}::TIMESTAMPTZ END`
}

function interval(raw: string): string {
  const part = (n: number, type: string) => `TRY_CAST(split_part(${raw}, ' ', ${n}) AS ${type})`
  return `to_months(${part(1, 'INTEGER')}) + to_days(${part(2, 'INTEGER')}) + to_microseconds(${part(3, 'BIGINT')})`
}

/** A JSON array of texts; the literal of a list that is not one-dimensional from 1 is refused. */
function list(of: LogicalType, raw: string, refuse: string): string {
  const isArray = `(${raw} = '[]' OR starts_with(${raw}, '["') OR starts_with(${raw}, '[n'))`
  const elements = `${raw}::JSON::VARCHAR[]`
  const value = `list_transform(${elements}, lambda element: ${fromText(of, 'element', refuse)})::${sqlTypeOf(of)}[]`
  return `CASE WHEN ${raw} IS NULL THEN NULL WHEN ${isArray} THEN ${value} ELSE ${refuse} END`
}
