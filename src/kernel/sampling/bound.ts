/** No row of a writer can carry a smaller position. `undefined`: unknown, so it may carry any. */
export type Bound = bigint | undefined

/** The smaller of two bounds; an unknown one is smaller than every other. */
export function lowerOf(a: Bound, b: Bound): Bound {
  if (a === undefined || b === undefined) return undefined
  return a < b ? a : b
}
