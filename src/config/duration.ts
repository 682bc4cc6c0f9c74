const UNIT_US: Readonly<Record<string, bigint>> = {
  us: 1n,
  µs: 1n,
  ms: 1_000n,
  s: 1_000_000n,
  m: 60_000_000n,
  min: 60_000_000n,
  h: 3_600_000_000n,
  d: 86_400_000_000n,
}

/** One or more numbers, each with its unit: `10s`, `1.5h`, `1h30m`. */
export const DURATION = /^(\d+(\.\d{1,6})?(us|µs|ms|s|min|m|h|d))+$/

/** A duration text as µs, exact; undefined when it is none, or finer than a µs. */
export function parseDurationUs(text: string): bigint | undefined {
  const compact = text.replaceAll(' ', '')
  if (!DURATION.test(compact)) return undefined
  let totalUs = 0n
  for (const [, whole, , fraction = '', unit] of compact.matchAll(/(\d+)(\.(\d+))?([a-zµ]+)/g)) {
    const scaled = BigInt(whole! + fraction) * UNIT_US[unit!]!
    const divisor = 10n ** BigInt(fraction.length)
    if (scaled % divisor !== 0n) return undefined
    totalUs += scaled / divisor
  }
  return totalUs
}

/** A duration text as whole milliseconds; undefined when it is none, or finer. */
export function parseDurationMs(text: string): number | undefined {
  const us = parseDurationUs(text)
  if (us === undefined || us % 1_000n !== 0n) return undefined
  const ms = Number(us / 1_000n)
  return Number.isSafeInteger(ms) ? ms : undefined
}
