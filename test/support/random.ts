/** A small seeded generator (mulberry32), so that a test's choices can be replayed. */
export interface Random {
  below(n: number): number
  chance(p: number): boolean
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  return { below: (n) => Math.floor(next() * n), chance: (p) => next() < p }
}

/** The seed of this run: `SEED` when set, else drawn; print it so that a failure replays. */
export function suiteSeed(): number {
  return process.env.SEED ? Number(process.env.SEED) : Math.floor(Math.random() * 1_000_000)
}
