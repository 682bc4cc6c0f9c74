import type { FenceRequest } from '../../source.ts'
import { isTrue } from './control.ts'
import { type Desk, sharedForMs } from './desk.ts'
import { hiddenSessions } from './hidden.ts'
import type { TableMemory } from './memory.ts'
import { RIGHTS } from './queries.ts'
import type { SessionsLook } from './sessions.ts'
import { type Taken, waitFor } from './taken.ts'
import { weighLocks, weighSessions } from './weigh.ts'

/**
 * P1 where this role sees all sessions, else P2 (spec E18, E25). Demanded by name, P1 is not replaced: it throws
 * SOURCE_HIDDEN_SESSIONS.
 */
export async function takeTimed(
  desk: Desk,
  request: FenceRequest,
  table: TableMemory,
  method: 'P1' | 'P2' | 'timed',
): Promise<Taken> {
  if (method === 'P2') return takeByLocks(desk, request, table)
  const connection = await desk.options.control()
  const [rights] = await connection.rows(RIGHTS)
  if (method === 'timed' && !isTrue(rights!.sees_all)) return takeByLocks(desk, request, table)
  const look = await desk.sessions.latest(sharedForMs(request.policy))
  if (look.sessions.every(({ blind }) => !blind)) return takeBySessions(desk, request, table, look)
  if (method === 'timed') return takeByLocks(desk, request, table)
  throw hiddenSessions(look, rights!.role as string)
}

/**
 * P1 looks again only for prepared transactions that are new: a look a second old bounds what was prepared since much
 * better than one of an hour ago (spec E26). Whoever else holds the fence would still hold it then.
 */
async function takeBySessions(
  desk: Desk,
  request: FenceRequest,
  table: TableMemory,
  first: SessionsLook,
): Promise<Taken> {
  const newlyPrepared = new Set(first.newlyPrepared)
  const taken = await waitFor(desk, request, first, desk.sessions, {
    weigh: (look) => weighSessions(request, look, table.hold),
    mayImprove: ({ hold }, look) => {
      for (const key of look.newlyPrepared) newlyPrepared.add(key)
      return hold.binding !== undefined && newlyPrepared.has(hold.binding.key)
    },
  })
  return { ...taken, method: 'P1' }
}

/** P2 looks until the fence is fresh or the wait is over (spec E27). */
async function takeByLocks(desk: Desk, request: FenceRequest, table: TableMemory): Promise<Taken> {
  const first = await desk.locks.latest(sharedForMs(request.policy))
  const taken = await waitFor(desk, request, first, desk.locks, {
    weigh: (look) => weighLocks(request, look, table.hold),
    mayImprove: () => true,
  })
  return { ...taken, method: 'P2' }
}
