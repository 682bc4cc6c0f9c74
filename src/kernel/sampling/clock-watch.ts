/** A reading of a source's clock, between two readings of our monotonic clock when both are of one process. */
export interface ClockReading {
  readonly t0: bigint
  /** Absent for a reading that another process took. */
  readonly monotonic?: { readonly beforeUs: bigint; readonly afterUs: bigint }
}

/**
 * How far a source's clock stepped back between two readings, in µs; 0 when by no more than the guard (spec E23). Our
 * monotonic clock serves for this comparison alone. Detection takes the least time that can have passed, so that a
 * slow answer is no step; the result takes the most, so that it is never too small. Between two processes only a
 * clock that shows less than before is seen.
 */
export function clockStepUs(previous: ClockReading | undefined, now: ClockReading, guardUs: bigint): bigint {
  if (!previous) return 0n
  const advancedUs = now.t0 - previous.t0
  if (!previous.monotonic || !now.monotonic) return -advancedUs > guardUs ? -advancedUs : 0n
  const leastUs = now.monotonic.beforeUs - previous.monotonic.afterUs
  const mostUs = now.monotonic.afterUs - previous.monotonic.beforeUs
  return leastUs - advancedUs > guardUs ? mostUs - advancedUs : 0n
}
