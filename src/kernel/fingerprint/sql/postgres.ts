import { unreachable } from '../../assert.ts'
import { quoteIdentifier } from '../../sql-text.ts'
import type { CanonicalType, ComparedColumn, ComparisonPlan } from '../comparison.ts'
import { FREE_FORM_MAX_BYTES } from '../free-form.ts'

/** What of a server changes its expressions. */
export interface PostgresDialect {
  readonly digest: ComparisonPlan['digest']
  /** The database is encoded in UTF-8: texts are measured and hashed as they stand (spec F17). */
  readonly isUtf8: boolean
  /** `server_version_num`: below 14, extract() is a float. */
  readonly versionNumber: number
  /** Native types by column, `text` for those that stand here as they were printed elsewhere. */
  readonly nativeTypes: ReadonlyMap<string, string>
}

export interface RowExpressions {
  readonly keyText: string
  readonly positionText: string
  readonly rowText: string
  /** Canonical text of each column of the plan. */
  readonly texts: readonly string[]
}

/** Canonical texts of a row under an alias, as PostgreSQL computes them (spec F11, F13, F15). */
export function postgresExpressions(
  plan: ComparisonPlan,
  dialect: PostgresDialect,
  alias: string,
): RowExpressions {
  const texts = plan.columns.map((column) => columnText(column, dialect, alias))
  const join = (parts: readonly string[]): string => parts.join(`||';'||`)
  const position = texts[plan.columns.findIndex(({ name }) => name === plan.position)]!
  return { keyText: join(texts.slice(0, plan.keyCount)), positionText: position, rowText: join(texts), texts }
}

/** Lower-case hex digest of a text expression. */
export function postgresDigest(text: string, { digest, isUtf8 }: PostgresDialect): string {
  if (digest === 'sha256') return `encode(sha256(convert_to(${text},'UTF8')),'hex')`
  return isUtf8 ? `md5(${text})` : `md5(convert_to(${text},'UTF8'))`
}

/** The first word of a digest expression as a bigint (spec F2, F28). */
export const postgresWord = (digest: string): string => `('x'||substr(${digest},1,15))::bit(60)::bigint`

function columnText({ name, canonical }: ComparedColumn, dialect: PostgresDialect, alias: string): string {
  const bare = `${alias}.${quoteIdentifier(name)}`
  return `coalesce(${canonicalSql(canonical, bare, dialect.nativeTypes.get(name) ?? '', dialect)},'N')`
}

/** The text of a value as it lands; NULL for NULL. */
function canonicalSql(type: CanonicalType, x: string, nativeType: string, dialect: PostgresDialect): string {
  switch (type.name) {
    case 'numeric':
      // Money prints the server's currency sign.
      return nativeType === 'money' ? `${x}::numeric::text` : `${x}::text`
    case 'integer':
    case 'bit':
    case 'uuid':
      return `${x}::text`
    case 'decimal':
      return `round(${x}::numeric,${type.scale})::text`
    case 'boolean':
      return `${x}::int::text`
    case 'instant':
    case 'wall_time':
      return moment(type.name, x, dialect)
    case 'date':
      return `CASE WHEN isfinite(${x}) THEN (${x} - date '1970-01-01')::text ELSE 'z'||${x}::text END`
    case 'time':
      return dialect.versionNumber >= 140_000
        ? `(extract(epoch from ${x})*1000000)::bigint::text`
        : `(extract(hour from ${x})::bigint*3600000000+extract(minute from ${x})::bigint*60000000+extract(microseconds from ${x})::bigint)::text`
    case 'interval':
      return interval(x)
    case 'float8':
      return `CASE WHEN ${x} = 'NaN' THEN '7ff8000000000000' WHEN ${x} = 0 THEN '0000000000000000' ELSE encode(float8send(${x}),'hex') END`
    case 'float4':
      return `CASE WHEN ${x} = 'NaN' THEN '7fc00000' WHEN ${x} = 0 THEN '00000000' ELSE encode(float4send(${x}),'hex') END`
    case 'bytes':
      return free(`octet_length(${x})`, `encode(${x},'hex')`, `md5(${x})`, x, dialect)
    case 'char':
      // A column of text, where such values may have landed, keeps the padding.
      return text(`rtrim(${x}::text,' ')`, dialect)
    case 'text':
      return text(`${x}::text`, dialect)
    case 'json':
      return once(`${x}::text`, dialect)
    case 'printed':
      return printed(x, nativeType, dialect)
    case 'list':
      return once(list(type.of, x, nativeType, dialect), dialect)
    default:
      return unreachable(type)
  }
}

/**
 * As COPY prints it and as it lands (spec F7), which a cast to text does not always say: it spells booleans out, drops the
 * padding of char(n), writes a mask to each inet.
 */
function printed(x: string, nativeType: string, dialect: PostgresDialect): string {
  if (nativeType === 'text') return text(x, dialect)
  return once(`CASE WHEN ${x} IS DISTINCT FROM NULL THEN format('%s',${x}) END`, dialect)
}

function text(x: string, dialect: PostgresDialect): string {
  const bytes = dialect.isUtf8 ? x : `convert_to(${x},'UTF8')`
  return free(`octet_length(${bytes})`, x, `md5(${bytes})`, `convert_to(${x},'UTF8')`, dialect)
}

/** The free form of a text that costs too much to be computed for each of its uses. */
function once(x: string, dialect: PostgresDialect): string {
  return `(SELECT ${text('v.x', dialect)} FROM (SELECT ${x} AS x OFFSET 0) v)`
}

/** `v<n>:…` or, above 4,096 bytes, `w<n>:<hash>` (spec F15). */
function free(size: string, shown: string, md5: string, bytes: string, { digest }: PostgresDialect): string {
  const hash = digest === 'md5' ? md5 : `encode(sha256(${bytes}),'hex')`
  return `CASE WHEN ${size} <= ${FREE_FORM_MAX_BYTES} THEN 'v'||${size}||':'||${shown} WHEN ${size} > ${FREE_FORM_MAX_BYTES} THEN 'w'||${size}||':'||${hash} END`
}

/** From 14 on extract is exact; before, whole seconds and the µs part are taken apart (spec F13). */
function moment(type: 'instant' | 'wall_time', x: string, { versionNumber }: PostgresDialect): string {
  const literal = type === 'instant' ? 'timestamptz' : 'timestamp'
  const end = `${literal} '294247-01-10 04:00:54.775807${type === 'instant' ? '+00' : ''}'`
  const us =
    versionNumber >= 140_000
      ? `(extract(epoch from ${x})*1000000)::bigint`
      : `(extract(epoch from date_trunc('second',${x}))::bigint*1000000+(extract(microseconds from ${x})::bigint%1000000))`
  return `CASE WHEN ${x} > '-infinity' AND ${x} < ${end} THEN ${us}::text ELSE 'z'||${x}::text END`
}

/** `months days µs`, each with its own sign; infinite ones are outside the number line. */
function interval(x: string): string {
  const part = (field: string): string => `extract(${field} from ${x})::bigint`
  const months = `${part('year')}*12+${part('month')}`
  const us = `(${part('hour')}*3600+${part('minute')}*60)*1000000+${part('microseconds')}`
  return `CASE WHEN isfinite(${x}) THEN (${months})||' '||${part('day')}||' '||(${us}) ELSE 'z'||${x}::text END`
}

/**
 * How many elements and their texts; a list that is not one-dimensional from 1 as the server prints it. Elements that are
 * texts are taken out of the printed list: unnest would take a composite apart.
 */
function list(of: CanonicalType, x: string, nativeType: string, dialect: PostgresDialect): string {
  const values = nativeType === 'money[]' ? `${x}::numeric[]` : x
  const isSimple = `(cardinality(${x}) = 0 OR (array_ndims(${x}) = 1 AND array_lower(${x},1) = 1))`
  // The only type whose lists are not separated by commas.
  const texts = nativeType === 'box[]' ? `${x}::text[]` : `${x}::text::text[]`
  const [elements, elementType] = of.name === 'printed' ? [texts, 'text'] : [values, '']
  const element = canonicalSql(of, 'u.e', elementType, dialect)
  const joined = `(SELECT string_agg(coalesce(${element},'N'),';' ORDER BY u.o) FROM unnest(${elements}) WITH ORDINALITY u(e,o))`
  return `CASE WHEN ${isSimple} THEN cardinality(${x})||':'||coalesce(${joined},'') ELSE ${values}::text END`
}
