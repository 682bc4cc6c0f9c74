import { checkCostRow, retentionRow } from './check-rows.ts'
import type { ReviewFacts } from './facts.ts'
import { lateCommitsRow } from './late-row.ts'
import { connectionsRow, holdRow, memoryRow } from './limit-rows.ts'
import { amount, type Multipliers, type ReviewRow } from './row.ts'
import { runRows } from './run-rows.ts'
import { pagesRow, tiesRow } from './tie-rows.ts'

/** What breaks at a multiple of the busiest minute (assurance A46). A pure function of its facts. */
export interface StreamReview {
  readonly stream: string
  readonly head: string
  readonly rows: readonly ReviewRow[]
  /** Rows that break or are unbounded: the exit code is 3. */
  readonly breaking: readonly string[]
}

/** Beside the multiplier asked for, and 1, this one is shown. */
const BETWEEN = 8

export const multipliersOf = (multiplier: number): Multipliers =>
  [...new Set([1, ...(multiplier > BETWEEN ? [BETWEEN] : []), multiplier])].sort((a, b) => a - b)

export function reviewStream(facts: ReviewFacts, multiplier: number): StreamReview {
  const at = multipliersOf(multiplier)
  const [overlap, duration, catchUp, merge] = runRows(facts, at) as [
    ReviewRow,
    ReviewRow,
    ReviewRow,
    ReviewRow,
  ]
  const rows = [
    tiesRow(facts, at),
    pagesRow(facts, at),
    lateCommitsRow(facts, at),
    overlap,
    duration,
    catchUp,
    memoryRow(facts, at),
    connectionsRow(facts, at),
    merge,
    holdRow(facts, at),
    checkCostRow(facts, at),
    retentionRow(facts, at),
  ]
  const breaking = rows
    .filter(({ verdict }) => verdict === 'breaks' || verdict === 'unbounded')
    .map(({ name }) => name)
  return { stream: facts.stream, head: headOf(facts, multiplier), rows, breaking }
}

/** The multiplier applies to the busiest minute, never to the mean (load-forecast L3). */
function headOf({ load }: ReviewFacts, multiplier: number): string {
  if (!load) return 'no rate is known: nothing was written in 35 days, or nobody could count'
  const ratio =
    load.mean !== undefined && load.mean > 0
      ? `, ${amount(load.rate / load.mean)} times the mean of 35 days`
      : ''
  const what =
    load.from === 'source' ? 'busiest minute' : 'busiest run (the source could not count its minutes)'
  return `${what} ${load.when}: ${amount(load.rate)} rows a second${ratio}; ${multiplier} times it is ${amount(load.rate * multiplier)}`
}
