import { PlimsollError } from '../../kernel/errors.ts'
import { quoteIdentifier } from '../../kernel/sql-text.ts'
import { type LandingPlan, planKey } from './landing-plan.ts'
import { SEQ } from './target-columns.ts'

/** A constraint that somebody put on the target: Plimsoll makes none. */
export interface Constraint {
  readonly text: string
  /** SQL that is true for rows it refuses, over alias-less column names; undefined when only DuckDB can tell. */
  readonly refuses: string | undefined
}

export async function readConstraints({ session, table }: LandingPlan): Promise<Constraint[]> {
  const rows = await session.rows(
    `SELECT constraint_type, constraint_text, to_json(constraint_column_names)::VARCHAR, expression FROM duckdb_constraints()
     WHERE database_name = current_database() AND schema_name = $1 AND table_name = $2`,
    [table.target.schema, table.target.name],
  )
  return rows.map(([type, text, columns, expression]) => {
    const [column] = JSON.parse(String(columns ?? '[]')) as string[]
    if (type === 'NOT NULL' && column)
      return { text: `${column} NOT NULL`, refuses: `${quoteIdentifier(column)} IS NULL` }
    return { text: String(text), refuses: type === 'CHECK' ? `NOT (${String(expression)})` : undefined }
  })
}

/**
 * Looks for a staged row that a constraint refuses before DuckDB does, for DuckDB would not say which (STATE-2): after its
 * error the transaction answers no more questions.
 */
export async function refuseUnwelcome(
  plan: LandingPlan,
  constraints: readonly Constraint[],
  stage: string,
): Promise<void> {
  const rows = `(SELECT *, ${plan.readSeq}::BIGINT AS ${SEQ} FROM ${stage})`
  for (const { text, refuses } of constraints) {
    if (!refuses) continue
    const [row] = await plan.session.rows(
      `SELECT to_json(${planKey(plan, 's')})::VARCHAR FROM ${rows} s WHERE ${refuses} LIMIT 1`,
    )
    if (row) throw refusedRow(plan, text, JSON.parse(String(row[0])))
  }
}

/** A constraint error of DuckDB's own, e.g. of a unique index; its message has the key of the index. */
export function nameConstraint(error: unknown, plan: LandingPlan): unknown {
  if (!(error instanceof PlimsollError) || !(error.cause instanceof Error)) return error
  const { message } = error.cause
  return message.startsWith('Constraint Error') ? refusedRow(plan, message.split('\n')[0]!, undefined) : error
}

function refusedRow({ table }: LandingPlan, constraint: string, key: unknown): PlimsollError {
  const where = key === undefined ? '' : ` the row with key ${JSON.stringify(key)}`
  return new PlimsollError('DESTINATION_REFUSED_ROW', `${table.target.name} refuses${where}: ${constraint}`, {
    hint: 'A constraint of the target stands against the source: drop it, or correct the row at the source. Nothing landed.',
    context: { table: table.target.name, constraint, ...(key === undefined ? {} : { key }) },
  })
}
