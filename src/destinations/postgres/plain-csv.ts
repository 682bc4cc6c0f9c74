import { quoteIdentifier, quoteLiteral } from '../../kernel/sql-text.ts'
import type { LogicalType } from '../../kernel/types.ts'
import type { WireFormat } from '../../sources/source.ts'
import type { TargetTable } from '../destination.ts'
import type { TableFacts } from './table-facts.ts'

/**
 * For each column whose wire text PostgreSQL does not read as it is, the SQL that turns the text into the column's
 * value. Empty for `pg_text`: there PostgreSQL's own notation travels.
 */
export function projections(table: TargetTable, facts: TableFacts, format: WireFormat): Map<string, string> {
  if (format === 'pg_text') return new Map()
  const needed = table.columns
    .filter(({ name, type }) => !table.asText.includes(name) && needsProjection(type))
    .map(({ name, type }): [string, string] => {
      const { type: target } = facts.columns.get(name)!
      return [name, project(`r.${quoteIdentifier(name)}`, type, target)]
    })
  return new Map(needed)
}

function needsProjection(type: LogicalType): boolean {
  if (type.name === 'numeric') return type.precision !== undefined
  return ['list', 'date', 'timestamp', 'timestamptz', 'interval'].includes(type.name)
}

function project(text: string, type: LogicalType, target: string): string {
  switch (type.name) {
    case 'list':
      return projectList(text, type.of, target)
    case 'date':
    case 'timestamp':
    case 'timestamptz':
      return `(replace(${text}, ' (BC)', '') || CASE WHEN strpos(${text}, '(BC)') > 0 THEN ' BC' ELSE '' END)::${target}`
    case 'interval':
      return projectInterval(text)
    case 'numeric':
      return projectNumeric(text, target)
    default:
      return `${text}::${target}`
  }
}

/** A JSON array of strings, or the server's own literal (see WireFormat). */
function projectList(text: string, of: LogicalType, target: string): string {
  const element = project('e.x', of, target.replace(/\[\]$/, ''))
  const elements = `SELECT ${element} FROM json_array_elements_text(${text}::json) WITH ORDINALITY AS e(x, n) ORDER BY e.n`
  return `CASE WHEN ${text} IS NULL THEN NULL WHEN ${text} ~ '^\\[["n\\]]' THEN ARRAY(${elements})::${target} ELSE ${text}::${target} END`
}

/**
 * `months days µs`. Hours go in as two halves, for all of them need more than 32 bits; the rest is below an hour and
 * exact as a double.
 */
function projectInterval(text: string): string {
  const part = (n: number) => `split_part(${text}, ' ', ${n})`
  const hours = `${part(3)}::bigint / 3600000000`
  return `(make_interval(months => ${part(1)}::int, days => ${part(2)}::int)
    + make_interval(hours => (${hours} / 2)::int)
    + make_interval(hours => (${hours} - ${hours} / 2)::int)
    + make_interval(secs => (${part(3)}::bigint % 3600000000) / 1000000.0))`
}

/** PostgreSQL rounds silently to the declared scale; a value that would change is made a value it cannot read. */
function projectNumeric(text: string, target: string): string {
  const refused = `(${quoteLiteral('would be rounded: ')} || ${text})::numeric`
  return `CASE WHEN ${text}::numeric IS DISTINCT FROM ${text}::${target} THEN ${refused} ELSE ${text}::${target} END`
}
