/** Integer division towards -∞. */
export function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient
}

/** The remainder of floorDiv; never negative for positive `b`. */
export function floorMod(a: bigint, b: bigint): bigint {
  return a - floorDiv(a, b) * b
}

/** The largest multiple of `grain` that is not above `value` (spec E5). */
export function floorTo(value: bigint, grain: bigint): bigint {
  return value - floorMod(value, grain)
}
