import { quoteIdentifier } from '../../kernel/sql-text.ts'
import type { TargetTable } from '../destination.ts'
import type { ColumnFacts } from './table-facts.ts'

/** SQL that decides whether two rows are the same row (key) and hold the same (content). */

/**
 * Types whose `=` is true only for values that print alike. Elsewhere it is not exact: -0 = 0, 1.0 = 1.00,
 * '1 mon' = '30 days', {"a":1.0} = {"a":1.00}, and json has none.
 */
const EXACT =
  /^(boolean|smallint|integer|bigint|text|character varying(\(\d+\))?|character\(\d+\)|name|"char"|oid|bytea|date|uuid|numeric\(\d+,-?\d+\)|bit(\(\d+\))?|bit varying(\(\d+\))?|(time|timestamp)(\(\d\))? with(out)? time zone)$/

export function isExact(column: ColumnFacts): boolean {
  return EXACT.test(column.type) && column.deterministic
}

/** True where the rows under two aliases hold something different, compared by representation (spec E53). */
export function differs(columns: readonly ColumnFacts[], a: string, b: string): string {
  const exact = columns.filter(isExact).map(({ name }) => quoteIdentifier(name))
  const inexact = columns.filter((column) => !isExact(column))
  const conditions = inexact.map((column) => `${image(column, a)} IS DISTINCT FROM ${image(column, b)}`)
  if (exact.length > 0) {
    const row = (alias: string) => `(${exact.map((name) => `${alias}.${name}`).join(', ')})`
    conditions.unshift(`${row(a)} IS DISTINCT FROM ${row(b)}`)
  }
  return conditions.length === 0 ? 'false' : `(${conditions.join(' OR ')})`
}

/** A value as bytes or text that is equal only when the value prints alike. */
function image({ name, type }: ColumnFacts, alias: string): string {
  const value = `${alias}.${quoteIdentifier(name)}`
  // The cast of bpchar to text drops blanks at the end.
  return type === 'bpchar' ? `bpcharsend(${value})` : `${value}::text COLLATE "C"`
}

/** True where the rows under two aliases have the same key (spec E55). */
export function keyMatches({ key, nullKeys }: TargetTable, a: string, b: string): string {
  return key
    .map((name) => {
      const [left, right] = [`${a}.${quoteIdentifier(name)}`, `${b}.${quoteIdentifier(name)}`]
      // Both halves can be hashed; IS NOT DISTINCT FROM alone would compare every row with every row.
      return nullKeys === 'match'
        ? `coalesce(${left}::text, '') = coalesce(${right}::text, '') AND (${left} IS NULL) = (${right} IS NULL)`
        : `${left} = ${right}`
    })
    .join(' AND ')
}
