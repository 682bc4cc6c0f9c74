import type { FenceRequest } from '../../source.ts'
import type { Desk } from './desk.ts'
import { endLook, watchClock } from './look.ts'
import type { TableMemory } from './memory.ts'
import type { Taken } from './taken.ts'
import { weigh } from './weigh.ts'

/**
 * settle (spec E36): the server's clock minus settleMs, and no evidence. The one method for a standby alone. It sees
 * nobody, so it settles no decree either.
 */
export async function takeBySettling(desk: Desk, request: FenceRequest, table: TableMemory): Promise<Taken> {
  const { options, memory } = desk
  const connection = await options.control()
  const guardUs = BigInt(request.policy.guardMs) * 1000n
  const { t0, standby } = await watchClock(connection, options, memory, guardUs)
  const end = standby ? undefined : await endLook(connection)
  await options.context.reach('fence.listed')
  await memory.keep()
  return {
    method: 'settle',
    weighed: { ...weigh(request, { t0, ceiling: t0, candidates: [] }, table.hold), isThere: () => true },
    logPosition: end?.logPosition,
    sampleCount: 1,
    waitedUs: 0n,
  }
}
