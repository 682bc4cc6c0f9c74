/** A small generator of chance with a seed: the same seed, the same draws, on every machine. */
export interface Random {
  /** A whole number in [0, limit). */
  below(limit: number): number
  chance(probability: number): boolean
  pick<T>(choices: readonly T[]): T
}

/** Each `purpose` of a seed has draws of its own, so that leaving some out moves no others. */
export function createRandom(seed: number, purpose: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(purpose + 1, 0xc2b2ae35)
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (choices) => choices[below(choices.length)]!,
  }
}
