import type { RehearsalMark } from '../../load.ts'
import type { ServerIdentity } from '../../source.ts'
import type { LoadSession } from './session.ts'

const TABLE = 'public.plimsoll_rehearsal'
const US = (column: string): string => `(extract(epoch FROM ${column}) * 1000000)::bigint::text`

/** All rows of the marker table; none without it (assurance A49). */
export async function readMarks(session: LoadSession): Promise<readonly RehearsalMark[]> {
  const [present] = await session.ask(`SELECT to_regclass('${TABLE}')::text`)
  if (!present?.[0]) return []
  const rows = await session.ask(
    `SELECT database, identity, timeline, ${US('marked_at')}, ${US('expires_at')}, ${US('clock_timestamp()')} FROM ${TABLE}`,
  )
  return rows.map((row) => {
    const [database, identity, timeline, markedUs, expiresUs, nowUs] = row.map((text) => text ?? '')
    return {
      database: database!,
      identity: identity!,
      timeline: timeline!,
      markedUs: markedUs!,
      expiresUs: expiresUs!,
      nowUs: nowUs!,
    }
  })
}

/** Replaces whatever the marker says by this database and this server. */
export async function writeMark(
  session: LoadSession,
  identity: ServerIdentity,
  days: number,
): Promise<RehearsalMark> {
  await session.ask(`CREATE TABLE IF NOT EXISTS ${TABLE} (
    database text NOT NULL, identity text NOT NULL, timeline text NOT NULL, marked_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL CHECK (expires_at <= marked_at + interval '30 days'))`)
  await session.ask(
    `WITH before AS (DELETE FROM ${TABLE})
     INSERT INTO ${TABLE} SELECT current_database(), $1, $2, now(), now() + $3::int * interval '1 day'`,
    [identity.id, identity.timeline, days],
  )
  return (await readMarks(session))[0]!
}
