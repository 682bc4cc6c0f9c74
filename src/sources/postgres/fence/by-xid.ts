import type { FenceRequest } from '../../source.ts'
import type { Desk } from './desk.ts'
import { endLook, readClock } from './look.ts'
import type { TableMemory } from './memory.ts'
import { STAMPING_TRIGGERS } from './queries.ts'
import { readRunningXids, xidCandidates, xidKey } from './running-xids.ts'
import type { Taken } from './taken.ts'
import { weigh } from './weigh.ts'
import { xidTriggerFlaw } from './xid-column.ts'

export interface TakenByXid extends Taken {
  readonly triggerFlaw: string | undefined
  readonly oldest: TableMemory['oldest']
}

/**
 * P3 (spec E28), also on a standby, whose snapshot has no list: there nobody can be passed over. The clock is read for
 * the record and for how long somebody has held.
 */
export async function takeByXid(desk: Desk, request: FenceRequest, table: TableMemory): Promise<TakenByXid> {
  const { options } = desk
  const connection = await options.control()
  const { t0, standby } = await readClock(connection)
  await options.context.reach('fence.clock_read')
  const xids = await readRunningXids(connection)
  const end = standby ? undefined : await endLook(connection)
  await options.context.reach('fence.listed')

  const key = xids.running[0] === undefined ? undefined : xidKey(xids.running[0])
  const sinceUs = table.oldest?.key === key ? (table.oldest?.sinceUs ?? t0) : t0
  const candidates = standby || !end ? [] : await xidCandidates(connection, xids, end.prepared, t0, sinceUs)
  const ceiling = candidates.length === 0 ? xids.xmin : xids.xmax
  const isThere = (one: string): boolean =>
    standby ? BigInt(one.slice(one.indexOf(':') + 1)) >= xids.xmin : candidates.some(({ key }) => key === one)
  const weighed = weigh(request, { t0, ceiling, candidates }, table.hold)
  const value = weighed.hold.passedOver.length === 0 ? xids.xmin : weighed.hold.value
  const triggers = await connection.rows(STAMPING_TRIGGERS, [request.shape.objectId])
  return {
    method: 'P3',
    weighed: { ...weighed, hold: { ...weighed.hold, value }, isThere },
    logPosition: end?.logPosition,
    sampleCount: 1,
    waitedUs: 0n,
    // A standby does not know what its primary has given since.
    ...(standby ? {} : { nextValue: xids.next }),
    triggerFlaw: xidTriggerFlaw(request.order.column, triggers),
    oldest: key === undefined ? undefined : { key, sinceUs },
  }
}
