import type { Looked } from '../../../sources/diagnosis.ts'
import type { QueryPlan } from '../../../sources/source.ts'
import { type Check, judge, ok } from '../check.ts'
import type { TableContext } from '../table-context.ts'
import { amount } from '../words.ts'

/** A43: what a run would ask, as the database would answer it (spec E51). */
export function queryPlan({ table }: TableContext, plan: Looked<QueryPlan>): Check {
  return judge('plan', plan, ({ expectedRows, sequentialScan, sort, obstacle }) => {
    const figures = {
      expected_rows: String(expectedRows),
      sequential_scan: String(sequentialScan),
      sort: String(sort),
    }
    if (obstacle !== undefined) {
      const [problem, create] = splitObstacle(obstacle)
      return { severity: 'blocker', sentence: `${problem}.`, remedy: create, figures }
    }
    if (!sort)
      return ok(`A run of ${table} reads about ${amount(expectedRows)} rows without a sort.`, figures)
    return {
      severity: 'warning',
      sentence: `A run of ${table} sorts what it reads, about ${amount(expectedRows)} rows.`,
      remedy: 'ANALYZE;   -- then look again: the planner may not know the table',
      figures,
    }
  })
}

/** The statement that a connector puts after its problem. */
function splitObstacle(obstacle: string): readonly [string, string | undefined] {
  const at = obstacle.indexOf(': CREATE INDEX')
  return at < 0 ? [obstacle, undefined] : [obstacle.slice(0, at), obstacle.slice(at + 2)]
}
