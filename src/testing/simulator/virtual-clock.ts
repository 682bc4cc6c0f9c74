/**
 * Time of a simulated world. `trueUs` only goes on; the source's clock shows it with an offset that may step back.
 * Nothing waits: to sleep is to let the world move on.
 */
export interface VirtualClock {
  trueUs(): bigint
  sourceUs(): bigint
  advance(us: bigint): void
  stepBack(us: bigint): void
}

/** 2026-03-01 00:00 UTC in µs. */
const START_US = 1_772_323_200_000_000n

export function createVirtualClock(): VirtualClock {
  let now = START_US
  let offset = 0n
  return {
    trueUs: () => now,
    sourceUs: () => now + offset,
    advance(us) {
      now += us
    },
    stepBack(us) {
      offset -= us
    },
  }
}
