import type { LogicalType } from '../../kernel/types.ts'
import type { ColumnShape } from '../../sources/source.ts'
import type { TargetTable } from '../destination.ts'
import type { Session } from './sessions.ts'

type Name = LogicalType['name']

const BY_LOGICAL: Readonly<Record<Exclude<Name, 'numeric' | 'list'>, string>> = {
  bool: 'boolean',
  int2: 'smallint',
  int4: 'integer',
  int8: 'bigint',
  uint8: 'numeric(20,0)',
  float4: 'real',
  float8: 'double precision',
  text: 'text',
  bytes: 'bytea',
  date: 'date',
  time: 'time without time zone',
  timetz: 'time with time zone',
  timestamp: 'timestamp without time zone',
  timestamptz: 'timestamp with time zone',
  interval: 'interval',
  uuid: 'uuid',
  json: 'json',
  jsonb: 'jsonb',
  bit: 'bit varying',
  opaque: 'text',
}

/** PostgreSQL's own spelling of a type, and what it must hold for the source to have meant PostgreSQL's type. */
const MEANS: Readonly<Record<string, readonly Name[]>> = {
  boolean: ['bool'],
  smallint: ['int2'],
  integer: ['int4'],
  bigint: ['int8'],
  real: ['float4'],
  'double precision': ['float8'],
  numeric: ['numeric', 'uint8'],
  text: ['text'],
  'character varying': ['text'],
  character: ['text'],
  bpchar: ['text'],
  name: ['text'],
  '"char"': ['text'],
  bytea: ['bytes'],
  date: ['date'],
  'time without time zone': ['time'],
  'time with time zone': ['timetz'],
  'timestamp without time zone': ['timestamp'],
  'timestamp with time zone': ['timestamptz'],
  uuid: ['uuid'],
  json: ['json'],
  jsonb: ['jsonb'],
  bit: ['bit'],
  'bit varying': ['bit'],
}

/** As `format_type` prints a built-in type; it goes into SQL as it is, so nothing else may pass. */
const SPELLING =
  /^("char"|[a-z][a-z0-9_]*(?: (?:precision|varying))?)(\(\d+(?:,-?\d+)?\))?( with(?:out)? time zone)?((?:\[\])?)$/
const INTERVAL = /^interval( [a-z]+( to [a-z]+)?)?(\(\d\))?(\[\])?$/

/** Types whose text only the server that printed it can read. */
const NOT_PORTABLE = '^_?(reg|aclitem|gtsvector|pg_node|pg_ndis|pg_dep|pg_mcv|pg_brin|pg_ddl)'

/**
 * The type of each column at the target (spec section 14): the source's exact type where it is a built-in one of
 * PostgreSQL that this server knows too, otherwise the type for what the column holds. A domain becomes its base type,
 * an enum, composite or extension type becomes text.
 */
export async function columnTypes(session: Session, table: TargetTable): Promise<Map<string, string>> {
  const known = await knownOpaque(session, table.columns)
  const typeOf = (column: ColumnShape): string => {
    if (table.asText.includes(column.name)) return 'text'
    return meansOurType(column, known) ? column.nativeType : logicalType(column.type)
  }
  return new Map(table.columns.map((column) => [column.name, typeOf(column)]))
}

/** The type for what a column holds, whatever its type at the source was called. */
export function logicalType(type: LogicalType): string {
  if (type.name === 'list') return `${logicalType(type.of)}[]`
  if (type.name !== 'numeric') return BY_LOGICAL[type.name]
  return type.precision === undefined ? 'numeric' : `numeric(${type.precision},${type.scale ?? 0})`
}

function meansOurType({ builtin, nativeType, type }: ColumnShape, known: ReadonlySet<string>): boolean {
  if (!builtin) return false
  const of = type.name === 'list' ? type.of.name : type.name
  if (INTERVAL.test(nativeType)) return of === 'interval'
  const [, base, , zone = ''] = SPELLING.exec(nativeType) ?? []
  if (base === undefined || nativeType.endsWith('[]') !== (type.name === 'list')) return false
  const means = MEANS[base + zone]
  return means ? means.includes(of) : of === 'opaque' && known.has(nativeType)
}

/** Which of the opaque built-in types this server has, by name, and can read back. */
async function knownOpaque(session: Session, columns: readonly ColumnShape[]): Promise<Set<string>> {
  const names = columns
    .filter(({ builtin, nativeType }) => builtin && SPELLING.test(nativeType))
    .map(({ nativeType }) => nativeType)
    .filter((name) => !(name.replace(/\(.*?\)|\[\]/g, '') in MEANS))
  if (names.length === 0) return new Set()
  const { rows } = await session.query(
    `SELECT n FROM unnest($1::text[]) n JOIN pg_type t ON t.oid = to_regtype(n)
     WHERE t.typnamespace = 'pg_catalog'::regnamespace AND t.typtype IN ('b', 'r', 'm') AND t.typname !~ $2`,
    [names, NOT_PORTABLE],
  )
  return new Set(rows.map((row) => row.n))
}

const WIDER: Readonly<Record<string, readonly string[]>> = {
  smallint: ['integer', 'bigint', 'numeric'],
  integer: ['bigint', 'numeric'],
  bigint: ['numeric'],
}

/** Whether a column that stands at the target holds every value of the type we would have made, unchanged. */
export function canHold(present: string, wanted: string): boolean {
  if (present === wanted || WIDER[wanted]?.includes(present)) return true
  if (/^numeric\(/.test(wanted)) return present === 'numeric'
  return /^character varying\(/.test(wanted) && ['text', 'character varying'].includes(present)
}
