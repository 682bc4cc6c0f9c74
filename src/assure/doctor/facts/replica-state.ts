import type { Looked, ReplicaFigures } from '../../../sources/diagnosis.ts'
import { type Check, judge, ok } from '../check.ts'
import { amount, duration } from '../words.ts'

/** A44: how far the replica is behind, whether it falls further, and whether it cancels long reads. */
export function replicaState(replica: Looked<ReplicaFigures>, watchMs: number, queryMaxMs: number): Check {
  return judge('replica', replica, (found) => {
    const { kind, behindBytes, growthBytes, conflictDelayMs, feedback, cancelledCount } = found
    if (kind === 'none') return ok('There is no replica between.')
    const figures = {
      behind_bytes: String(behindBytes),
      growth_bytes: String(growthBytes),
      conflict_delay_ms: conflictDelayMs === undefined ? '' : String(conflictDelayMs),
      cancelled_count: String(cancelledCount),
    }
    const watched = duration(BigInt(watchMs) * 1000n)
    if (growthBytes > 0) {
      return {
        severity: 'warning',
        sentence: `The replica is ${amount(behindBytes)} bytes behind and fell ${amount(growthBytes)} bytes further in ${watched}.`,
        remedy: 'SELECT * FROM pg_stat_replication;   -- on the primary: which step is behind?',
        figures,
      }
    }
    if (!feedback && conflictDelayMs !== undefined && conflictDelayMs < queryMaxMs) {
      return {
        severity: 'note',
        sentence: `The replica is ${amount(behindBytes)} bytes behind and cancels reads that hold up its replay for ${duration(BigInt(conflictDelayMs) * 1000n)} (${amount(cancelledCount)} so far); a query of ours may take ${duration(BigInt(queryMaxMs) * 1000n)}.`,
        remedy: 'ALTER SYSTEM SET hot_standby_feedback = on;   -- on the replica',
        figures,
      }
    }
    return ok(
      `The replica is ${amount(behindBytes)} bytes behind and fell no further in ${watched}.`,
      figures,
    )
  })
}
