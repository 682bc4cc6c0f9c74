import { performance } from 'node:perf_hooks'
import { PlimsollError } from '../../../kernel/errors.ts'
import type { DiagnosisLimits } from '../../diagnosis.ts'
import { type Db, inReadTransaction, named, untilFree } from '../connection.ts'

export type Value = string | bigint | number | null | Uint8Array
export type Row = Readonly<Record<string, Value>>

/** Where figures are looked at: a query that says `tick()` for each row ends at its limit (spec A41). */
export interface Bench {
  readonly db: Db
  readonly limits: DiagnosisLimits
  ask(sql: string, ...values: readonly Value[]): Promise<readonly Row[]>
  /** Several questions to one snapshot. */
  inSnapshot<T>(work: (ask: (sql: string, ...values: readonly Value[]) => readonly Row[]) => T): Promise<T>
}

/** True for every row, until the time of its query is over: SQLite cannot be interrupted from here otherwise. */
export const TICK = 'plimsoll_tick()'

export function benchOn(db: Db, limits: DiagnosisLimits): Bench {
  let endsMs = Number.POSITIVE_INFINITY
  db.function('plimsoll_tick', { deterministic: false }, () => {
    if (performance.now() <= endsMs) return 1
    throw new PlimsollError('SOURCE_QUERY_TOO_LONG', `a query ran longer than ${limits.queryMaxMs} ms`)
  })
  const ask = (sql: string, ...values: readonly Value[]): readonly Row[] => {
    endsMs = performance.now() + limits.queryMaxMs
    return named(db.name, () => db.prepare(sql).all(...values)) as Row[]
  }
  const inSnapshot: Bench['inSnapshot'] = (work) =>
    untilFree(db, limits.lockTimeoutMs, () => inReadTransaction(db, () => work(ask)))
  return { db, limits, inSnapshot, ask: (sql, ...values) => inSnapshot((each) => each(sql, ...values)) }
}
