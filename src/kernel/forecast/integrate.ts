/** Nodes and weights of the Gauss–Kronrod rule of 7 and 15 points, for the half axis. */
const NODES = [
  0.9914553711208126, 0.9491079123427585, 0.8648644233597691, 0.7415311855993945, 0.5860872354676911,
  0.4058451513773972, 0.20778495500789848, 0,
] as const
const KRONROD = [
  0.022935322010529224, 0.06309209262997856, 0.10479001032225019, 0.14065325971552592, 0.1690047266392679,
  0.19035057806478542, 0.20443294007529889, 0.20948214108472782,
] as const
const GAUSS = [
  0, 0.1294849661688697, 0, 0.27970539148927664, 0, 0.3818300505051189, 0, 0.4179591836734694,
] as const

const DEEPEST = 40

/** ∫ f over the panels between consecutive `points`, each halved until it is exact to `tolerance` (absolute). */
export function integrate(f: (x: number) => number, points: readonly number[], tolerance: number): number {
  let sum = 0
  for (let i = 1; i < points.length; i++) {
    sum += panel(f, points[i - 1]!, points[i]!, tolerance / points.length, DEEPEST)
  }
  return sum
}

function panel(f: (x: number) => number, from: number, to: number, tolerance: number, depth: number): number {
  const half = (to - from) / 2
  const middle = from + half
  let [fine, coarse] = [0, 0]
  for (let i = 0; i < NODES.length; i++) {
    const offset = half * NODES[i]!
    const value = offset === 0 ? f(middle) : f(middle - offset) + f(middle + offset)
    fine += KRONROD[i]! * value
    coarse += GAUSS[i]! * value
  }
  if (depth === 0 || Math.abs(fine - coarse) * half <= tolerance) return fine * half
  return panel(f, from, middle, tolerance / 2, depth - 1) + panel(f, middle, to, tolerance / 2, depth - 1)
}
