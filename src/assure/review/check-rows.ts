import type { ReviewFacts } from './facts.ts'
import { type Multipliers, makeRow, type ReviewRow, seconds, unknownRow } from './row.ts'

const YEAR = 365 * 86_400
const WINDOWS = 'windows by position, or a replica'

/** What the checks cost when the table has grown for a year; the dearest of them speaks. */
export function checkCostRow(
  { checks, targetRows, growth }: ReviewFacts,
  multipliers: Multipliers,
): ReviewRow {
  const name = 'check cost'
  const [dearest] = checks
    .filter(({ rows }) => rows > 0)
    .toSorted((a, b) => b.seconds / b.windowSeconds - a.seconds / a.windowSeconds)
  if (!dearest)
    return unknownRow(
      name,
      multipliers,
      'no audit or reconcile has run yet',
      'plimsoll audit, plimsoll reconcile',
    )
  if (targetRows === undefined || growth === undefined || targetRows <= 0)
    return unknownRow(name, multipliers, 'how fast the table grows is not known', WINDOWS)
  return makeRow(multipliers, {
    name,
    value: (k) => (dearest.seconds * (targetRows + k * growth * YEAR)) / targetRows,
    text: (cost) => `${dearest.kind} ${seconds(cost)} in a year`,
    judge: (cost) => {
      const limit = seconds(dearest.windowSeconds)
      if (cost > dearest.windowSeconds)
        return { verdict: 'breaks', because: `longer than its window of ${limit}` }
      return cost > dearest.windowSeconds / 2
        ? { verdict: 'watch', because: `more than half of its window of ${limit}` }
        : { verdict: 'ok' }
    },
    remedy: WINDOWS,
  })
}

const DAY = 86_400
/** Updates move the oldest row on as well; a purge keeps up with the clock. */
const PURGED_FROM = 0.5
const RAISE = 'raise it before the day'

/** How far back a recovery can reach: by size it shrinks with the load, by time it does not (load-forecast L23, A45). */
export function retentionRow({ retention }: ReviewFacts, multipliers: Multipliers): ReviewRow {
  const name = 'retention'
  if (!retention || retention.watchedSeconds < DAY)
    return unknownRow(
      name,
      multipliers,
      'the oldest row has not been watched for a day: review again tomorrow',
      RAISE,
    )
  const { reachSeconds, movedSeconds, watchedSeconds, neededSeconds } = retention
  const isPurged = movedSeconds > watchedSeconds * PURGED_FROM
  return makeRow(multipliers, {
    name,
    value: (k) => (isPurged ? reachSeconds / k : reachSeconds),
    text: (reach) =>
      isPurged
        ? `${seconds(reach)} back, if a purge keeps a size; ${seconds(reachSeconds)}, if a time`
        : `${seconds(reach)} back, and nothing is purged`,
    judge: (reach) => {
      if (!isPurged) return { verdict: 'ok' }
      const moved = `the oldest row moved on by ${seconds(movedSeconds)} in ${seconds(watchedSeconds)}`
      if (reach < neededSeconds)
        return { verdict: 'breaks', because: `${moved}; a loss is beyond repair after ${seconds(reach)}` }
      return reach < 2 * neededSeconds ? { verdict: 'watch', because: moved } : { verdict: 'ok' }
    },
    remedy: RAISE,
  })
}
