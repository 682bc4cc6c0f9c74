/** Levels by halving of the busiest minute: 0 is it, −1 half of it (load-forecast L19). Undefined without a rate. */
export function loadLevel(rate: number, busiest: number): number | undefined {
  if (rate <= 0 || busiest <= 0) return undefined
  return Math.round(Math.log2(rate / busiest))
}

/** What was measured at one level. */
export interface LevelMean {
  /** Rows a second. */
  readonly rate: number
  readonly meanLateness: number
}

/**
 * γ: the exponent of mean lateness against rate, by least squares on logarithms (load-forecast L19). Undefined with
 * fewer than two levels: lateness at another load has never been measured.
 */
export function latenessExponent(levels: readonly LevelMean[]): number | undefined {
  const points = levels
    .filter(({ rate, meanLateness }) => rate > 0 && meanLateness > 0)
    .map(({ rate, meanLateness }) => ({ x: Math.log(rate), y: Math.log(meanLateness) }))
  if (new Set(points.map(({ x }) => x)).size < 2) return undefined
  const mean = (pick: (point: { x: number; y: number }) => number): number =>
    points.reduce((sum, point) => sum + pick(point), 0) / points.length
  const [x, y] = [mean((p) => p.x), mean((p) => p.y)]
  return mean((p) => (p.x - x) * (p.y - y)) / mean((p) => (p.x - x) ** 2)
}

/** The level to read for `wanted`: itself, or the next busier one with enough samples (load-forecast L19). */
export function levelToUse(
  counts: ReadonlyMap<number, number>,
  wanted: number,
  needed: number,
): number | undefined {
  const enough = [...counts].filter(([level, count]) => level >= wanted && count >= needed)
  return enough.length === 0 ? undefined : Math.min(...enough.map(([level]) => level))
}
