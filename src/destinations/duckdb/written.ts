import { quoteIdentifier } from '../../kernel/sql-text.ts'
import type { LateRow, RowClasses } from '../destination.ts'
import { type LandingPlan, planKey } from './landing-plan.ts'
import { newestFirst } from './position-sql.ts'
import { columnList } from './target-columns.ts'

const TAIL_KEYS = 3

/** What a landing wrote and counted, before the claim moves. */
export interface Written {
  readonly rowsRead: number
  readonly byteSize: number
  readonly inserted: number
  readonly updated: number
  readonly classes: RowClasses
  readonly lateRows: readonly LateRow[]
  readonly checksum: string
  /** Undefined: no rows came, the claim keeps its own. */
  readonly tailKeys: readonly string[] | undefined
  readonly stageMs: number
  readonly mergeMs: number
}

export interface Summary {
  readonly rowsRead: number
  readonly checksum: string
  readonly tailKeys: readonly string[]
}

export const allFresh = (rowsRead: number): RowClasses => ({
  fresh: rowsRead,
  late: 0,
  reprocessed: 0,
  samePosition: 0,
  regressed: 0,
})

export const EMPTY: Summary = { rowsRead: 0, checksum: checksumText(0, '0'), tailKeys: [] }

/**
 * Counts rows, sums DuckDB's 64-bit hashes of key and position (the sum does not know an order, and costs a fraction of a
 * scan), and names the last keys (by the bare column, which DuckDB finds without reading all rows). DuckDB's hash may change with its version: compare checksums of one version only.
 */
export async function summarize(plan: LandingPlan, relation: string): Promise<Summary> {
  const { session, table, columns } = plan
  const hashed = columns.filter(({ name, isKey }) => isKey || name === table.order.column)
  const [count, sum] = await session.row(
    `SELECT count(*), coalesce(sum(hash(${columnList(hashed, 'r')})), 0)::VARCHAR FROM ${relation}`,
  )
  const rowsRead = Number(count)
  const tail =
    table.key.length === 0
      ? []
      : await session.rows(
          `SELECT to_json(${planKey(plan, 'r')})::VARCHAR FROM ${relation}
           ORDER BY ${newestFirst(`r.${quoteIdentifier(table.order.column)}`)} LIMIT ${TAIL_KEYS}`,
        )
  return {
    rowsRead,
    checksum: checksumText(rowsRead, String(sum)),
    tailKeys: tail.map(([key]) => String(key)),
  }
}

function checksumText(rowCount: number, sum: string): string {
  return `duckdb:${rowCount}:${sum}`
}
