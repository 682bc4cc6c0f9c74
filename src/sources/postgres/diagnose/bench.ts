import type { DiagnosisLimits } from '../../diagnosis.ts'
import type { Row } from '../connect/connection.ts'
import type { Pool } from '../connect/pool.ts'
import { snapshotStatements } from '../connect/session.ts'

export type Ask = (sql: string, values?: readonly (string | null)[]) => Promise<readonly Row[]>

/** Where figures are looked at: each in a transaction of its own that reads, is bounded, and uses no other worker (A5). */
export interface Bench {
  readonly ask: Ask
  /** Several questions to one snapshot. */
  inSnapshot<T>(work: (ask: Ask) => Promise<T>): Promise<T>
}

export function benchOn(pool: Pool, { queryMaxMs, lockTimeoutMs }: DiagnosisLimits): Bench {
  const open = `${snapshotStatements(queryMaxMs, lockTimeoutMs)}; SET LOCAL max_parallel_workers_per_gather = 0`
  const inSnapshot: Bench['inSnapshot'] = async (work) => {
    const connection = await pool.lend()
    try {
      await connection.rows(open)
      return await work((sql, values = []) => connection.rows(sql, values, queryMaxMs))
    } finally {
      await connection.rows('ROLLBACK').catch(() => connection.destroy())
      await pool.giveBack(connection)
    }
  }
  return { inSnapshot, ask: (sql, values) => inSnapshot((ask) => ask(sql, values)) }
}
