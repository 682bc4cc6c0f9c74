import { unreachable } from '../../assert.ts'
import { quoteIdentifier } from '../../sql-text.ts'
import type { CanonicalType, ComparisonPlan } from '../comparison.ts'
import { FREE_FORM_MAX_BYTES } from '../free-form.ts'
import type { RowExpressions } from './postgres.ts'

/** Canonical texts of a row under an alias, as DuckDB computes them from what landed (spec F11, F13, F15). */
export function duckdbExpressions(plan: ComparisonPlan, alias: string): RowExpressions {
  const texts = plan.columns.map(
    ({ name, canonical }) =>
      `coalesce(${canonicalSql(canonical, `${alias}.${quoteIdentifier(name)}`, plan.digest)},'N')`,
  )
  const join = (parts: readonly string[]): string => parts.join(`||';'||`)
  const position = texts[plan.columns.findIndex(({ name }) => name === plan.position)]!
  return { keyText: join(texts.slice(0, plan.keyCount)), positionText: position, rowText: join(texts), texts }
}

export const duckdbDigest = (text: string, digest: ComparisonPlan['digest']): string => `${digest}(${text})`

/** The first word of a digest expression as a BIGINT (spec F2, F28). */
export const duckdbWord = (digest: string): string => `cast('0x'||substr(${digest},1,15) as bigint)`

function canonicalSql(type: CanonicalType, x: string, digest: ComparisonPlan['digest']): string {
  switch (type.name) {
    case 'integer':
    case 'numeric':
    case 'bit':
    case 'uuid':
      return `${x}::varchar`
    case 'decimal':
      return decimal(x, type.scale)
    case 'boolean':
      return `${x}::int::varchar`
    case 'instant':
    case 'wall_time':
      return `CASE WHEN isfinite(${x}) THEN epoch_us(${x})::varchar ELSE 'z'||${x}::varchar END`
    case 'date':
      return `CASE WHEN isfinite(${x}) THEN (${x} - date '1970-01-01')::varchar ELSE 'z'||${x}::varchar END`
    case 'time':
      return `epoch_us(${x})::varchar`
    case 'interval':
      return interval(x)
    case 'float8':
      return `CASE WHEN isnan(${x}) THEN '7ff8000000000000' WHEN ${x} = 0 THEN '0000000000000000' ELSE lower(hex(${x}::bit::blob)) END`
    case 'float4':
      return `CASE WHEN isnan(${x}) THEN '7fc00000' WHEN ${x} = 0 THEN '00000000' ELSE lower(hex(${x}::bit::blob)) END`
    case 'bytes':
      return free(`octet_length(${x})`, `lower(hex(${x}))`, `${digest}(${x})`)
    case 'char':
      return text(`rtrim(${x},' ')`, digest)
    case 'text':
    case 'json':
    case 'printed':
      return text(`${x}::varchar`, digest)
    case 'list':
      return text(list(type.of, x, digest), digest)
    default:
      return unreachable(type)
  }
}

/** Without room for a digit before the point DuckDB prints none. */
function decimal(x: string, scale: number): string {
  const shown = `cast(${x} as decimal(38,${scale}))::varchar`
  return scale < 38 ? shown : `regexp_replace(${shown},'^(-?)[.]','\\10.')`
}

const text = (x: string, digest: ComparisonPlan['digest']): string =>
  free(`strlen(${x})`, x, `${digest}(${x})`)

const free = (size: string, shown: string, hash: string): string =>
  `CASE WHEN ${size} > ${FREE_FORM_MAX_BYTES} THEN 'w'||${size}||':'||${hash} ELSE 'v'||${size}||':'||${shown} END`

function interval(x: string): string {
  const months = `(datepart('year',${x})*12+datepart('month',${x}))`
  const us = `(datepart('hour',${x})*3600000000+datepart('minute',${x})*60000000+datepart('microsecond',${x}))`
  return `${months}||' '||datepart('day',${x})||' '||${us}`
}

function list(of: CanonicalType, x: string, digest: ComparisonPlan['digest']): string {
  const element = `coalesce(${canonicalSql(of, 'e', digest)},'N')`
  return `len(${x})||':'||array_to_string(list_transform(${x}, lambda e: ${element}),';')`
}
