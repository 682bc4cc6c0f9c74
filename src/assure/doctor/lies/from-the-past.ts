import type { Looked, ReplicaFigures } from '../../../sources/diagnosis.ts'
import { type Check, judge, ok } from '../check.ts'
import { amount } from '../words.ts'

/** What the pipeline asks of the source as a whole. */
export interface FenceWish {
  /** Some table wants a fence that only a primary gives. */
  readonly wantsProof: boolean
}

/** L9: rows come from a replica, which shows the past. */
export function fromThePast(replica: Looked<ReplicaFigures>, { wantsProof }: FenceWish): Check {
  return judge('L9', replica, ({ kind, behindBytes }) => {
    if (kind === 'none') return ok('Rows come from the primary itself.')
    const figures = { behind_bytes: String(behindBytes) }
    if (kind === 'linked') {
      return {
        severity: 'note',
        sentence: `Rows come from a replica ${amount(behindBytes)} bytes behind; the fence is taken at its primary, and each run waits for the replica to reach it.`,
        remedy: undefined,
        figures,
      }
    }
    return {
      severity: wantsProof ? 'blocker' : 'note',
      sentence: `Rows come from a replica ${amount(behindBytes)} bytes behind; without a link to its primary no fence can be proven.`,
      remedy: 'source: { url: <the primary>, replicaUrl: <this replica> }',
      figures,
    }
  })
}
