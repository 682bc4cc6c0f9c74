import { US_PER_DAY, US_PER_HOUR, US_PER_MINUTE, US_PER_SECOND } from '../../kernel/calendar.ts'

/** `12,004` */
export function formatCount(count: number): string {
  return String(Math.round(count)).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** `3 rows`, `1 row` */
export function plural(count: number, word: string): string {
  return `${formatCount(count)} ${word}${count === 1 ? '' : 's'}`
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** `3.1 MB`, in powers of 1000. */
export function formatBytes(byteSize: number): string {
  let [amount, unit] = [byteSize, 0]
  while (amount >= 999.5 && unit < BYTE_UNITS.length - 1) [amount, unit] = [amount / 1000, unit + 1]
  return `${unit === 0 || amount >= 99.95 ? Math.round(amount) : amount.toFixed(1)} ${BYTE_UNITS[unit]}`
}

/** `0.4 s`, `3 min 20 s` */
export function formatMs(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : formatUs(BigInt(Math.round(ms)) * 1000n)
}

const STEPS = [
  ['d', US_PER_DAY],
  ['h', US_PER_HOUR],
  ['min', US_PER_MINUTE],
  ['s', US_PER_SECOND],
] as const

/** A distance in µs, its two largest units: `1 d 2 h`, `4 s`, `-3 min`. */
export function formatUs(us: bigint): string {
  const sign = us < 0n ? '-' : ''
  let rest = us < 0n ? -us : us
  if (rest < US_PER_SECOND) return `${sign}${Number(rest) / 1000} ms`
  const parts: string[] = []
  for (const [unit, size] of STEPS) {
    const amount = rest / size
    rest %= size
    if (amount > 0n) parts.push(`${amount} ${unit}`)
    else if (parts.length > 0) break
    if (parts.length === 2) break
  }
  return sign + parts.join(' ')
}
