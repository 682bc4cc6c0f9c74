import { comparePositions, type Position } from '../../kernel/position.ts'
import type { CommitTime } from '../../sources/source.ts'
import { addTo, emptySketch } from './sketch.ts'

export interface CommitRowsRun {
  readonly rows: readonly CommitTime[]
  /** More is no lateness: somebody wrote an old date (assurance A20). */
  readonly ceilingUs: bigint
  /** Where this run began to read. */
  readonly lower: Position
  /** Which rows no earlier run can have seen. */
  readonly isNew: (row: CommitTime) => boolean
}

/**
 * Commit timestamps against positions (assurance A35); negative ones apart, as an offset of clocks. Beside them the rows
 * that were committed below what the run before had read for the last time (A40).
 */
export function measureCommitRows({ rows, ceilingUs, lower, isNew }: CommitRowsRun) {
  const sketch = emptySketch()
  let [ahead, mostAhead, backdated] = [0, 0, 0]
  const beyond: CommitTime[] = []
  for (const row of rows) {
    if (comparePositions(row.position, lower) < 0 && isNew(row)) beyond.push(row)
    if (row.latenessUs < 0n) {
      ahead++
      mostAhead = Math.max(mostAhead, Number(-row.latenessUs))
    } else if (row.latenessUs > ceilingUs) backdated++
    else addTo(sketch, Number(row.latenessUs))
  }
  return {
    measured: { sketch, ahead, mostAhead, backdated },
    beyond: { count: beyond.length, deepest: deepestOf(beyond) },
  }
}

const deepestOf = (rows: readonly CommitTime[]): CommitTime | undefined =>
  rows.reduce<CommitTime | undefined>(
    (deepest, row) => (deepest && comparePositions(deepest.position, row.position) <= 0 ? deepest : row),
    undefined,
  )
