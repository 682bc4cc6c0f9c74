/**
 * What a column holds, independent of the server it stands on. `nativeType` of the column keeps the source's exact
 * name; this says how the value travels on the wire (spec section 14) and what a destination may do with it.
 *
 * `opaque` is text in the source's own notation (ranges, tsvector, inet, enums, composites).
 */
export type LogicalType =
  | { readonly name: ScalarName }
  | { readonly name: 'numeric'; readonly precision?: number; readonly scale?: number }
  | { readonly name: 'list'; readonly of: LogicalType }

export type ScalarName =
  | 'bool'
  | 'int2'
  | 'int4'
  | 'int8'
  | 'uint8'
  | 'float4'
  | 'float8'
  | 'text'
  | 'bytes'
  | 'date'
  | 'time'
  | 'timetz'
  | 'timestamp'
  | 'timestamptz'
  | 'interval'
  | 'uuid'
  | 'json'
  | 'jsonb'
  | 'bit'
  | 'opaque'
