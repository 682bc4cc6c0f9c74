import { formatUs } from './quantity.ts'

/** `12 ms`, `3.4 s`, `5 min`, `103 h`: a length of time with at most three figures. */
export function secondsText(seconds: number): string {
  if (!Number.isFinite(seconds)) return 'no margin helps'
  if (seconds < 1e-3) return `${Number((seconds * 1e6).toPrecision(3))} µs`
  if (seconds < 1) return `${Number((seconds * 1e3).toPrecision(3))} ms`
  if (seconds < 60) return `${Number(seconds.toPrecision(3))} s`
  return formatUs(BigInt(Math.round(seconds)) * 1_000_000n)
}

/** Rows a second, or a day where a second sees none. */
export function rateText(rate: number): string {
  return rate >= 0.01
    ? String(Number(rate.toPrecision(3)))
    : `${Number((rate * 86_400).toPrecision(3))} a day`
}

/** Expected rows: three figures, `0` for less than one in a million. */
export function lossText(rows: number): string {
  if (rows < 1e-6) return '0'
  return rows >= 1000 ? Math.round(rows).toLocaleString('en-US') : String(Number(rows.toPrecision(3)))
}
