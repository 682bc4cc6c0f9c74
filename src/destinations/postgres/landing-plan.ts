import { assert } from '../../kernel/assert.ts'
import { quoteIdentifier, quoteTable } from '../../kernel/sql-text.ts'
import type { Landing, TargetTable } from '../destination.ts'
import { differs, keyMatches } from './compare-sql.ts'
import { DELETED_COLUMN, SEQ_COLUMN } from './names.ts'
import { projections } from './plain-csv.ts'
import { positionOf } from './position-sql.ts'
import type { ColumnFacts, TableFacts } from './table-facts.ts'

export const STAGE = 'pg_temp.plimsoll_stage'
export const SEQ = quoteIdentifier(SEQ_COLUMN)
export const DELETED = quoteIdentifier(DELETED_COLUMN)

/** What the statements of one landing are made of. */
export interface LandingPlan {
  readonly table: TargetTable
  readonly target: string
  readonly readSeq: number
  /** Quoted, in wire order. */
  readonly columns: readonly string[]
  readonly keys: readonly string[]
  /** What decides whether a row changed: a key that matched exactly cannot. */
  readonly compared: readonly ColumnFacts[]
  readonly facts: TableFacts
  /** Wire text to value, for columns PostgreSQL does not read as they travel. */
  readonly projected: ReadonlyMap<string, string>
}

export function planLanding({ table, readSeq, rows }: Landing, facts: TableFacts): LandingPlan {
  for (const { name } of table.columns) assert(facts.columns.has(name), `prepare did not make column ${name}`)
  const compared = table.columns.map(({ name }) => facts.columns.get(name)!)
  return {
    table,
    target: quoteTable(table.target),
    readSeq,
    columns: table.columns.map(({ name }) => quoteIdentifier(name)),
    keys: table.key.map(quoteIdentifier),
    compared,
    facts,
    projected: projections(table, facts, rows.format),
  }
}

export const list = (columns: readonly string[], alias?: string): string =>
  columns.map((column) => (alias ? `${alias}.${column}` : column)).join(', ')

/** Rows of the target may be marked as gone at the source (spec A27). */
export const hasMarks = ({ facts }: LandingPlan): boolean => facts.columns.has(DELETED_COLUMN)

/** True where a target's row is to become the staged one: it holds something else, or is marked as gone and came back. */
export function isChanged(plan: LandingPlan, target: string, staged: string): string {
  const content = differs(plan.compared, target, staged)
  return hasMarks(plan) ? `(${target}.${DELETED} IS NOT NULL OR ${content})` : content
}

export function planPosition({ table }: LandingPlan, alias: string): string {
  return positionOf(alias, table.order, table.asText.includes(table.order.column))
}

/**
 * Joins stage rows `s` with what stands at the target for their key, as `t`: the row, or in history mode its newest
 * version. Without one, `t`'s readSeq is NULL.
 */
export function joinPresent({ table, target, keys }: LandingPlan, join: 'JOIN' | 'LEFT JOIN'): string {
  const on = keyMatches(table, 't', 's')
  if (table.mode === 'upsert') return `${join} ${target} t ON ${on}`
  if (table.nullKeys === 'match') {
    const newest = `SELECT DISTINCT ON (${list(keys)}) * FROM ${target} ORDER BY ${list(keys)}, ${SEQ} DESC`
    return `${join} (${newest}) t ON ${on}`
  }
  const match = keyMatches(table, 'x', 's')
  return `${join} LATERAL (SELECT * FROM ${target} x WHERE ${match} ORDER BY x.${SEQ} DESC LIMIT 1) t ON true`
}
