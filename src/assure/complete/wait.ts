import type { EngineClock } from '../../extract/engine.ts'
import type { CompleteAnswer } from './complete-through.ts'

/** Where a look asks: of the catalog alone where it knows enough, or beside the data. */
export type WaitLook = 'catalog' | 'destination'

export interface WaitRequest {
  readonly look: (where: WaitLook) => Promise<CompleteAnswer>
  readonly clock: EngineClock
  readonly timeoutMs: number
  readonly everyMs: number
  readonly signal: AbortSignal
  /** Says whom it waits for whenever that changes. */
  readonly waitingFor: (text: string) => void
}

/**
 * Asks again and again until the answer is yes, the time is over, or it is told to stop (spec A54). A yes is confirmed
 * beside the data, and so is the last no.
 */
export async function waitUntilComplete(request: WaitRequest): Promise<CompleteAnswer> {
  const { look, clock, timeoutMs, everyMs, signal, waitingFor } = request
  const begunMs = clock.nowMs()
  let said = ''
  for (;;) {
    const quick = await look('catalog')
    const restMs = timeoutMs - (clock.nowMs() - begunMs)
    const isOver = restMs <= 0 || signal.aborted
    const answer = quick.holds || isOver ? await look('destination') : quick
    if (answer.holds || isOver) return answer
    const text = answer.heldBy ? `waiting for ${answer.heldBy.stream}: ${answer.heldBy.cause}` : 'waiting'
    if (text !== said) waitingFor(text)
    said = text
    await clock.sleep(Math.min(everyMs, restMs))
  }
}
