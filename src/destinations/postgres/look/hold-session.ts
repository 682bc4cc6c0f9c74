import type { Session, Sessions } from '../sessions.ts'

/** A session that lasts until it is let go, inside one read-only snapshot that waits for its caller (spec A6). */
export interface HeldSession {
  readonly session: Session
  release(): Promise<void>
}

/** Between two questions the other side of a comparison may be scanned for minutes. */
const IDLE_MAX_MS = 3_600_000

/** Part of every expression of a comparison: said in its own transaction, whoever hands out the connection (spec F8). */
const PRINTING = [
  `TimeZone = 'UTC'`,
  `DateStyle = 'ISO, YMD'`,
  `IntervalStyle = 'postgres'`,
  `bytea_output = 'hex'`,
  'extra_float_digits = 1',
  'standard_conforming_strings = on',
]
  .map((setting) => `SET LOCAL ${setting}`)
  .join('; ')

export async function holdSession(
  sessions: Sessions,
  queryMaxMs: number,
  lockTimeoutMs: number,
): Promise<HeldSession> {
  let letGo!: () => void
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  let opened!: (session: Session) => void
  const ready = new Promise<Session>((resolve) => {
    opened = resolve
  })
  const using = sessions.use(async (session) => {
    await session.query('CREATE TEMP TABLE IF NOT EXISTS plimsoll_left_out (d text) ON COMMIT DELETE ROWS')
    await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await session.query(PRINTING)
    await session.query(`SET LOCAL statement_timeout = ${Math.max(1, Math.floor(queryMaxMs))}`)
    await session.query(`SET LOCAL lock_timeout = ${Math.max(1, Math.floor(lockTimeoutMs))}`)
    await session.query(`SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MAX_MS}`)
    await session.query('SET LOCAL max_parallel_workers_per_gather = 0')
    opened(session)
    await held
    await session.query('ROLLBACK')
  })
  const session = await Promise.race([ready, using.then(() => ready)])
  return {
    session,
    release: async () => {
      letGo()
      await using.catch(() => undefined)
    },
  }
}
