import type { ReachFigures } from '../../diagnosis.ts'
import { shownPosition } from './moment.ts'
import { type Subject, within } from './subject.ts'

/** A45: the oldest position, and whether whole partitions of it can be dropped. */
export async function lookAtReach(subject: Subject): Promise<ReachFigures | undefined> {
  const { rows, primary, table, position, moment, isTimed, nowUs, request } = subject
  if (!isTimed) return undefined
  const [oldest] = await rows.ask(
    `SELECT ${position}::text AS position, ${moment} AS us FROM ${table} WHERE ${within(subject, undefined)} ORDER BY ${position} LIMIT 1`,
  )
  if (oldest?.us == null) return undefined
  const [partitioned] = await primary.ask(
    `SELECT EXISTS (SELECT FROM pg_partitioned_table p JOIN pg_attribute a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
       WHERE p.partrelid = $1::oid AND p.partstrat = 'r' AND a.attname = $2) AS found`,
    [request.shape.objectId, request.order.column],
  )
  return {
    oldest: shownPosition(request.order, oldest.position ?? ''),
    oldestUs: BigInt(oldest.us),
    nowUs,
    isPartitioned: partitioned?.found === 't',
  }
}
