/** The standard normal distribution function, accurate to 1e-14 (load-forecast L13). */
export function normalBelow(x: number): number {
  const z = Math.abs(x) / Math.SQRT2
  const tail = z < SERIES_BELOW ? (1 - erfSeries(z)) / 2 : erfcFraction(z) / 2
  return x < 0 ? tail : 1 - tail
}

const SERIES_BELOW = 2

/** 2/√π · e^(−z²) · Σ 2ⁿ z^(2n+1) / (1·3·…·(2n+1)): all terms positive, so nothing cancels. */
function erfSeries(z: number): number {
  let term = z
  let sum = z
  for (let n = 1; term > sum * 1e-17; n++) {
    term *= (2 * z * z) / (2 * n + 1)
    sum += term
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-z * z) * sum
}

const FRACTION_DEPTH = 60

/** e^(−z²)/√π · 1/(z + (1/2)/(z + 1/(z + (3/2)/(z + …)))), from the inside out. */
function erfcFraction(z: number): number {
  let denominator = z
  for (let n = FRACTION_DEPTH; n > 0; n--) denominator = z + n / 2 / denominator
  return Math.exp(-z * z) / Math.sqrt(Math.PI) / denominator
}
