import { assert } from '../../../kernel/assert.ts'
import type { ReaderRequest } from '../../source.ts'
import type { TableFacts } from '../describe/columns.ts'
import type { OrderedColumn } from '../predicates.ts'

/** The position column of a request, as the predicates must know it. */
export function orderedColumn(
  request: Pick<ReaderRequest, 'order' | 'futureFromUs'>,
  facts: TableFacts,
): OrderedColumn {
  const { order, futureFromUs } = request
  const column = facts.columns.find(({ shape }) => shape.name === order.column)
  assert(column, `the position column ${order.column} is not in the table`)
  return { order, nullable: column.shape.nullable, strict: column.strict, futureFromUs }
}

/** `rowid` or one of its other names that no column has taken; undefined where there is none. */
export function rowidName(facts: TableFacts): string | undefined {
  if (facts.kind === 'view' || facts.withoutRowid || /^\s*CREATE\s+VIRTUAL\b/i.test(facts.sql))
    return undefined
  const taken = new Set(facts.columns.map(({ shape }) => shape.name.toLowerCase()))
  return ['rowid', '_rowid_', 'oid'].find((name) => !taken.has(name))
}
