import { isTimeLike, positionToUs } from './moment.ts'
import type { PositionOrder } from './order.ts'
import type { Position } from './position.ts'
import { firstInstantOf } from './zone.ts'

/**
 * What a claim says in instants, for those who ask "complete through when?" (spec A54 to A56). It travels in the claim's
 * facts, so that it becomes true with the claim and survives the catalog. Amounts and instants are µs as text.
 */
export interface CompletenessFacts {
  readonly pipeline: string
  /** Every row positioned before it has landed; null where no instant is known. */
  readonly completeThroughUs: string | null
  /** Null for counters, whose overlap is a count. */
  readonly overlapUs: string | null
  readonly fenceTakenUs: string | null
  /** Decrees whose bill is open. */
  readonly decreeCount: number
  /** For counters alone: instants with the next value there was to give, oldest first. */
  readonly marks: readonly CounterMark[]
}

/** At `t0` the counter's next value was `next`: everything numbered before it is below (spec A55). */
export interface CounterMark {
  readonly t0: string
  readonly next: string
}

const MAX_MARKS = 64

/**
 * The instant a watermark stands for (spec A55): itself; for wall time the first instant that reads so; for counters the
 * latest mark whose next value the watermark has reached.
 */
export function completeThrough(
  order: PositionOrder,
  watermark: Position | undefined,
  marks: readonly CounterMark[],
): bigint | undefined {
  if (!watermark) return undefined
  if (!isTimeLike(order)) return latestReached(watermark, marks)
  const us = positionToUs(order, watermark)
  if (us === undefined || (order.kind !== 'timestamp' && order.kind !== 'date')) return us
  return order.zone === undefined ? undefined : firstInstantOf(order.zone, us)
}

function latestReached(watermark: Position, marks: readonly CounterMark[]): bigint | undefined {
  return marks
    .filter((mark) => isReached(watermark, mark))
    .map(({ t0 }) => BigInt(t0))
    .reduce<bigint | undefined>(
      (latest, t0) => (latest === undefined || t0 > latest ? t0 : latest),
      undefined,
    )
}

const isReached = (watermark: Position, { next }: CounterMark): boolean =>
  watermark.kind !== 'text' && BigInt(next) <= watermark.value

/** With one more mark. When there are too many, every second of those that wait is forgotten: the rest are as true. */
export function addMark(marks: readonly CounterMark[], mark: CounterMark): readonly CounterMark[] {
  const all = [...marks, mark]
  if (all.length <= MAX_MARKS) return all
  return all.filter((_, i) => i % 2 === 0 || i === all.length - 1)
}

/** Without the marks that the watermark has left behind: of those it has reached, the latest stays. */
export function forgetReached(
  marks: readonly CounterMark[],
  watermark: Position | undefined,
): readonly CounterMark[] {
  const latest = watermark && latestReached(watermark, marks)
  return marks.filter((mark) => !watermark || !isReached(watermark, mark) || BigInt(mark.t0) === latest)
}

/** What a claim's facts say of its completeness; undefined where they are of another form. */
export function completenessIn(facts: string): CompletenessFacts | undefined {
  try {
    return (JSON.parse(facts) as { completeness?: CompletenessFacts } | null)?.completeness
  } catch {
    return undefined
  }
}
