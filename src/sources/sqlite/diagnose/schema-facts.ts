import { quoteLiteral } from '../../../kernel/sql-text.ts'
import type { CascadeFigures, DeleteFigures } from '../../diagnosis.ts'
import { isAutoincrement } from '../describe/evidence.ts'
import { TICK } from './bench.ts'
import type { Subject } from './subject.ts'

/** L10: keys that AUTOINCREMENT gave out and that are no longer there; other tables keep no trace. */
export async function lookAtDeletes({ bench, table, facts }: Subject): Promise<DeleteFigures | undefined> {
  if (facts.kind === 'view' || !isAutoincrement(facts)) return undefined
  const [row] = await bench.ask(
    `SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE lower(name) = lower(?)), 0) - count(*) AS n FROM ${table} WHERE ${TICK}`,
    facts.table.name,
  )
  const count = Number(row!.n)
  return { count: count > 0 ? count : 0, since: undefined, way: 'missing_keys' }
}

/** L12: foreign keys that carry a change of this table's key on, or bring one. A key named by nobody is the primary one. */
export async function lookAtCascades({ bench, facts, request }: Subject): Promise<readonly CascadeFigures[]> {
  const own = quoteLiteral(facts.table.name)
  const rows = await bench.ask(
    `SELECT m.name AS other, f."to" AS own_column, 'followed_by' AS direction
     FROM sqlite_schema m, pragma_foreign_key_list(m.name) f
     WHERE m.type = 'table' AND lower(f."table") = lower(${own}) AND f.on_update = 'CASCADE'
     UNION ALL SELECT f."table", f."from", 'follows' FROM pragma_foreign_key_list(${own}) f WHERE f.on_update = 'CASCADE' ORDER BY 1`,
  )
  return rows
    .filter(({ own_column }) => own_column === null || request.key.includes(String(own_column)))
    .map(({ other, direction }) => ({
      constraint: `foreign key to ${direction === 'follows' ? other : facts.table.name}`,
      other: String(other),
      direction: direction as CascadeFigures['direction'],
    }))
}
