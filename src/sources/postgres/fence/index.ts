import type { Fence } from '../../../kernel/fence.ts'
import type { Position } from '../../../kernel/position.ts'
import type { FenceRequest } from '../../source.ts'
import { assembleFence } from './assemble.ts'
import { takeByXid } from './by-xid.ts'
import { type FencerOptions, isTrue } from './control.ts'
import { type Desk, openDesk } from './desk.ts'
import type { TableMemory } from './memory.ts'
import { type ChosenMethod, chooseMethod } from './method.ts'
import { takeByNumber } from './numbered.ts'
import { FED_BY } from './queries.ts'
import { takeBySettling } from './settle.ts'
import type { Taken } from './taken.ts'
import { takeTimed } from './timed.ts'
import { instantToPosition, numberToPosition } from './to-position.ts'

export { xidColumnSql } from './xid-column.ts'

export interface Fencer {
  fence(request: FenceRequest): Promise<Fence>
  /** Ends waits; fences under way still answer. */
  close(): Promise<void>
}

/**
 * The fences of one PostgreSQL database (spec sections 3 and 4): the look at the database is shared by all tables;
 * floor, exclusions, stamps and decrees are each table's own.
 */
export function createFencer(options: FencerOptions): Fencer {
  let opening: Promise<Desk> | undefined
  let isClosed = false

  const openOnce = (): Promise<Desk> => {
    opening ??= openDesk(options).catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }
  return {
    fence: async (request) => {
      const desk = await openOnce()
      if (isClosed) desk.close()
      return takeFence(desk, request)
    },
    close: async () => {
      isClosed = true
      const desk = await opening?.catch(() => undefined)
      desk?.close()
    },
  }
}

async function takeFence(desk: Desk, request: FenceRequest): Promise<Fence> {
  const { order, policy, shape } = request
  const method = chooseMethod(order, policy)
  desk.heedGuard(policy)
  const before = await desk.memory.loadTable(shape.table)
  const taken = await take(desk, request, before, method)
  const { steppedUs } = desk.memory
  const isClocked = taken.method !== 'P3' && taken.method !== 'N1'

  const connection = await desk.options.control()
  const [fed] = await connection.rows(FED_BY, [shape.objectId])
  const { fence, hold } = await assembleFence({
    request,
    method: taken.method,
    weighed: taken.weighed,
    toPosition: positionMaker(desk, request, taken),
    guardUs: isClocked && taken.method !== 'settle' ? BigInt(policy.guardMs) * 1000n : 0n,
    logPosition: taken.logPosition,
    facts: {
      subscribed: isTrue(fed!.subscribed),
      unwatched: unwatchedIn(shape.kind, isTrue(fed!.foreign_part)),
      ...('triggerFlaw' in taken ? { triggerFlaw: taken.triggerFlaw } : {}),
      ...('sequence' in taken ? { sequenceCache: taken.sequence.cache } : {}),
    },
    memory: before.hold,
    clockStepUs: isClocked ? steppedUs - (before.steppedSeenUs ?? steppedUs) : 0n,
    nextValue: taken.nextValue,
    sampleCount: taken.sampleCount,
    waitedUs: taken.waitedUs,
  })
  if (!request.rehearsal) {
    await desk.memory.saveTable(shape.table, {
      steppedSeenUs: isClocked ? steppedUs : before.steppedSeenUs,
      counter: 'counter' in taken ? taken.counter : before.counter,
      oldest: 'oldest' in taken ? taken.oldest : undefined,
      hold,
    })
  }
  return fence
}

/** A row of a view can appear by writes to other tables, or by REFRESH, long after its stamp. */
function unwatchedIn(kind: FenceRequest['shape']['kind'], hasForeignPart: boolean): string | undefined {
  if (kind === 'view')
    return 'a view shows a row when its definition lets it, which may be long after its stamp'
  return hasForeignPart ? 'a foreign partition has writers on another server' : undefined
}

type AnyTaken = Taken | Awaited<ReturnType<typeof takeByNumber>> | Awaited<ReturnType<typeof takeByXid>>

function take(
  desk: Desk,
  request: FenceRequest,
  table: TableMemory,
  method: ChosenMethod,
): Promise<AnyTaken> {
  if (method === 'P3') return takeByXid(desk, request, table)
  if (method === 'N1') return takeByNumber(desk, request, table)
  if (method === 'settle') return takeBySettling(desk, request, table)
  return takeTimed(desk, request, table, method)
}

/** The guard is subtracted, the settling time waited, or the next number taken, before the floor (spec E24 to E36). */
function positionMaker(
  desk: Desk,
  { order, policy }: FenceRequest,
  { method }: Taken,
): (value: bigint) => Promise<Position> {
  if (method === 'P3') return async (value) => numberToPosition(order, value)
  if (method === 'N1') return async (value) => numberToPosition(order, value + 1n)
  const backMs = method === 'settle' ? policy.settleMs : policy.guardMs
  return async (value) =>
    instantToPosition(await desk.options.control(), order, value - BigInt(backMs) * 1000n)
}
