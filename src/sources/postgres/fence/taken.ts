import type { FenceMethod, LogPosition } from '../../../kernel/fence.ts'
import type { FenceRequest } from '../../source.ts'
import type { Desk } from './desk.ts'
import type { Look } from './look.ts'
import type { Sampler } from './sampler.ts'
import type { Weighed } from './weigh.ts'

/** What a method has found out: everything of a fence but words, positions and proof. */
export interface Taken {
  readonly method: FenceMethod
  readonly weighed: Weighed
  readonly logPosition: LogPosition | undefined
  readonly sampleCount: number
  readonly waitedUs: bigint
  /** Orders that count: no value given before the clock was read is as large. */
  readonly nextValue?: bigint
}

interface Method<L> {
  readonly weigh: (look: L) => Weighed
  /** Whether another look can help while the fence lags. */
  readonly mayImprove: (weighed: Weighed, look: L) => boolean
}

/**
 * Looks again each fenceSampleMs until the fence lags by no more than fenceFreshMs or fenceWaitMs is over (spec E26,
 * E27). What a look means is worked out anew each time; only the last one's decree stands.
 */
export async function waitFor<L extends Look>(
  desk: Desk,
  request: FenceRequest,
  first: L,
  sampler: Sampler<L>,
  { weigh, mayImprove }: Method<L>,
): Promise<Omit<Taken, 'method'>> {
  const { policy } = request
  const begunMs = performance.now()
  let look = first
  let sampleCount = 1
  for (;;) {
    const weighed = weigh(look)
    const waitedMs = performance.now() - begunMs
    const isDone = !isLagging(weighed, request) || !mayImprove(weighed, look) || desk.isClosed
    if (isDone || waitedMs + policy.fenceSampleMs > policy.fenceWaitMs) {
      const waitedUs = BigInt(Math.round(waitedMs * 1000))
      return { weighed, logPosition: look.logPosition, sampleCount, waitedUs }
    }
    await desk.pause(look.begunMs, policy)
    look = await sampler.after(look)
    sampleCount++
  }
}

function isLagging({ t0, hold }: Weighed, { policy }: FenceRequest): boolean {
  if (hold.value === undefined) return true
  if (!hold.binding) return false
  const { sinceUs } = hold.binding
  const lagMs = sinceUs === undefined ? Number.POSITIVE_INFINITY : Number(t0 - sinceUs) / 1000
  return lagMs + policy.guardMs > policy.fenceFreshMs
}
