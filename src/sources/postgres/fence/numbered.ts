import type { FenceRequest } from '../../source.ts'
import { type Desk, sharedForMs } from './desk.ts'
import type { LocksLook } from './locks.ts'
import type { Home, TableMemory } from './memory.ts'
import { counterFell, findSequence, type Sequence } from './sequence.ts'
import { type Taken, waitFor } from './taken.ts'
import { weighCounter } from './weigh.ts'

export interface TakenByNumber extends Taken {
  readonly sequence: Sequence
  readonly counter: TableMemory['counter']
}

const originOf = ({ systemId, database }: Home, { oid }: Sequence): string => `${systemId}/${database}/${oid}`

/** N1 (spec E35): the looks of P2 with the sequence's counter in place of the clock. */
export async function takeByNumber(
  desk: Desk,
  request: FenceRequest,
  table: TableMemory,
): Promise<TakenByNumber> {
  const sequence = await findSequence(await desk.options.control(), request)
  desk.sequences.set(sequence.oid, sequence.name)
  const viewOf = (look: LocksLook) => look.counters.get(sequence.oid)!
  let counter = table.counter
  const weigh = (look: LocksLook) => {
    const view = viewOf(look)
    const origin = originOf(look.home, sequence)
    if (counter?.origin === origin && view.clock < counter.value) {
      throw counterFell(sequence, counter.value, view.clock)
    }
    counter = { origin, value: view.clock }
    return weighCounter(request, look, view, table.hold)
  }
  try {
    const first = await desk.locks.latest(sharedForMs(request.policy), (look) => viewOf(look) !== undefined)
    const taken = await waitFor(desk, request, first, desk.locks, { weigh, mayImprove: () => true })
    return {
      ...taken,
      method: 'N1',
      sequence,
      counter,
      ...(counter ? { nextValue: counter.value + 1n } : {}),
    }
  } catch (error) {
    // A sequence that is gone must not spoil the looks of other tables.
    desk.sequences.delete(sequence.oid)
    throw error
  }
}
