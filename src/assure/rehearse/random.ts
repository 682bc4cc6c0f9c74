/** Chance that can be repeated: the same seed, the same choices. */
export interface Random {
  /** In [0, 1). */
  fraction(): number
  /** A whole number in [least, greatest]. */
  between(least: number, greatest: number): number
  pick<T>(list: readonly T[]): T
}

/** Mulberry32: small, quick, and good enough to make a shop busy. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (least: number, greatest: number): number =>
    least + Math.floor(fraction() * (greatest - least + 1))
  return { fraction, between, pick: (list) => list[between(0, list.length - 1)]! }
}
