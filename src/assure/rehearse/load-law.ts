import { empiricalLaw, type Measured } from '../../kernel/forecast/empirical-law.ts'
import type { LatenessLaw } from '../../kernel/forecast/law.ts'
import { createDraw, type Drawn } from './draw.ts'
import { createRandom } from './random.ts'

/** What the transactions of a rehearsal are like, before any is made: the same for every seed and rate. */
export interface TypicalLoad {
  /** Rows stamped by a transaction that is not backdated, in the mean. */
  readonly rowsEach: number
  /** How long after its stamp such a row becomes visible. */
  readonly law: LatenessLaw
  /** How long a transaction takes, held ones included. */
  readonly meanMs: number
}

const DRAWS = 20_000
/** What an ordinary transaction takes; those that are held open take it too. */
export const ORDINARY_MS = 20

let known: TypicalLoad | undefined

/** From the same draws as a plan; the figures of load-forecast need a law, not an example. */
export function typicalTransactions(): TypicalLoad {
  known ??= measure()
  return known
}

function measure(): TypicalLoad {
  const draw = createDraw(createRandom(1), { actor: 0, actors: 1, rows: 10_000, mayPrepare: true })
  const drawn = Array.from({ length: DRAWS }, draw)
  const measured: Measured[] = drawn
    .filter(({ end }) => end !== 'rollback')
    .map((each) => ({ seconds: lengthMs(each) / 1_000, count: stampedRows(each) }))
  return {
    rowsEach: drawn.reduce((sum, each) => sum + stampedRows(each), 0) / DRAWS,
    law: empiricalLaw(measured)!,
    meanMs: drawn.reduce((sum, each) => sum + lengthMs(each), 0) / DRAWS,
  }
}

const lengthMs = ({ holdMs, preparedMs }: Drawn): number => ORDINARY_MS + holdMs + preparedMs

function stampedRows({ kind, ops }: Drawn): number {
  if (kind === 'unbumped' || kind === 'delete') return 0
  return ops.reduce((sum, { keys }) => sum + keys.length, 0)
}
