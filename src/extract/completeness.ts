import { addMark, type CompletenessFacts, completeThrough, forgetReached } from '../kernel/completeness.ts'
import type { Fence } from '../kernel/fence.ts'
import { isTimeLike } from '../kernel/moment.ts'
import type { PositionOrder } from '../kernel/order.ts'
import type { Overlap } from '../kernel/overlap.ts'
import type { Position } from '../kernel/position.ts'
import type { ClaimFacts, Debt } from './facts.ts'
import type { StreamSettings } from './settings.ts'

/** What a stream's claim says of completeness before this run has taken a fence (spec A54). */
export function completenessAtOpening(
  settings: Pick<StreamSettings, 'stream' | 'catalogKey'>,
  order: PositionOrder,
  watermark: Position | undefined,
  before: CompletenessFacts | undefined,
  decreeCount: number,
): CompletenessFacts {
  const known = {
    overlapUs: before?.overlapUs ?? null,
    fenceTakenUs: before?.fenceTakenUs ?? null,
    completeThroughUs: null,
    marks: before?.marks ?? [],
    decreeCount,
    pipeline: pipelineOf(settings),
  }
  return reached(known, order, watermark)
}

/** With what a fence adds: when it was taken, the overlap below it, and for counters the next value then (spec A55). */
export function completenessAtFence(
  said: CompletenessFacts,
  order: PositionOrder,
  fence: Fence,
  overlap: Overlap,
): CompletenessFacts {
  const { t0, nextValue } = fence
  return {
    ...said,
    overlapUs: isTimeLike(order) ? String(overlap.amount) : null,
    fenceTakenUs: t0 === '' ? null : t0,
    marks: nextValue === undefined || t0 === '' ? said.marks : addMark(said.marks, { t0, next: nextValue }),
  }
}

/** As it becomes true with a claim: what the watermark stands for, and the marks that still wait. */
export function factsOfClaim(
  facts: ClaimFacts,
  order: PositionOrder,
  watermark: Position | undefined,
  debts: readonly Debt[],
): ClaimFacts {
  if (!facts.completeness) return { ...facts, debts }
  const said = { ...facts.completeness, decreeCount: debts.length }
  return { ...facts, debts, completeness: reached(said, order, watermark) }
}

function reached(
  said: CompletenessFacts,
  order: PositionOrder,
  watermark: Position | undefined,
): CompletenessFacts {
  const us = completeThrough(order, watermark, said.marks)
  return {
    ...said,
    completeThroughUs: us === undefined ? null : String(us),
    marks: forgetReached(said.marks, watermark),
  }
}

/** The catalog's name of a stream is `pipeline/stream`. */
export function pipelineOf({ stream, catalogKey }: Pick<StreamSettings, 'stream' | 'catalogKey'>): string {
  return catalogKey.endsWith(`/${stream}`) ? catalogKey.slice(0, -stream.length - 1) : catalogKey
}
