import { setTimeout as sleep } from 'node:timers/promises'
import { PlimsollError } from '../../../kernel/errors.ts'
import type { LogPosition } from '../../../kernel/fence.ts'
import type { Connection } from '../connect/connection.ts'
import { replayTarget } from './replay-target.ts'

const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 500

/**
 * Returns once the server contains everything up to a log position of the primary (spec E29, E30). Only the replayed
 * position counts: silence, what was received, and timestamps prove nothing. Throws REPLICA_BEHIND after `maxMs`, and
 * SOURCE_WENT_BACK where a primary has not written that far.
 */
export async function waitForLog(connection: Connection, after: LogPosition, maxMs: number): Promise<void> {
  const [server] = await connection.rows(
    `SELECT pg_is_in_recovery() AS standby, current_setting('wal_block_size') AS block,
            pg_size_bytes(current_setting('wal_segment_size')) AS segment`,
  )
  const target = replayTarget(after.text, Number(server?.block), Number(server?.segment))
  const startedMs = performance.now()
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const [log] = await connection.rows(
      `SELECT standby, lsn, coalesce(lsn >= $1::pg_lsn, false) AS reached
       FROM (SELECT standby, CASE WHEN standby THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END AS lsn
             FROM pg_is_in_recovery() standby) s`,
      [target],
    )
    if (log?.reached === 't') return
    const context = { wanted: after.text, reached: log?.lsn ?? null }
    if (log?.standby !== 't') {
      throw new PlimsollError(
        'SOURCE_WENT_BACK',
        `${connection.place} has not written its log up to ${after.text}`,
        {
          hint: 'It was restored from a backup, or a stale clone answers under this address.',
          context,
        },
      )
    }
    const leftMs = maxMs - (performance.now() - startedMs)
    if (leftMs <= 0) {
      throw new PlimsollError(
        'REPLICA_BEHIND',
        `${connection.place} has not replayed the log up to ${after.text}`,
        {
          hint: `It stands at ${context.reached}. Look at its replication lag; the run goes on when it has caught up.`,
          context,
        },
      )
    }
    await sleep(Math.min(pauseMs, Math.max(1, leftMs)))
  }
}
