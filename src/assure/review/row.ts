import { loadExponent } from '../../kernel/forecast/load-exponent.ts'

export type ReviewVerdict = 'ok' | 'watch' | 'breaks' | 'unbounded' | 'unknown'

/** A figure at one multiple of the load: the number behind it, where there is one, and what is shown. */
export interface Figure {
  readonly multiplier: number
  readonly value: number | null
  readonly text: string
}

/** One line of the review (assurance A46). */
export interface ReviewRow {
  readonly name: string
  readonly figures: readonly Figure[]
  /** β between 1 and the largest multiple (load-forecast L4); undefined where a figure is 0 or missing. */
  readonly exponent: number | undefined
  readonly verdict: ReviewVerdict
  /** Why, in words; empty for ok. */
  readonly because: string
  readonly remedy: string
}

/** The loads that are looked at, ascending; the last decides. */
export type Multipliers = readonly number[]

interface RowParts {
  readonly name: string
  readonly value: (k: number) => number
  readonly text: (value: number, k: number) => string
  /** By the figure at the largest multiple. */
  readonly judge: (value: number, k: number) => { readonly verdict: ReviewVerdict; readonly because?: string }
  readonly remedy: string
}

export function makeRow(multipliers: Multipliers, parts: RowParts): ReviewRow {
  const figures = multipliers.map((k): Figure => {
    const value = parts.value(k)
    return { multiplier: k, value: Number.isFinite(value) ? value : null, text: parts.text(value, k) }
  })
  const [first, last] = [multipliers[0]!, multipliers.at(-1)!]
  const [low, high] = [parts.value(first), parts.value(last)]
  const judged = parts.judge(high, last)
  return {
    name: parts.name,
    figures,
    exponent: first === last || !Number.isFinite(high) ? undefined : loadExponent(first, low, last, high),
    verdict: judged.verdict,
    because: judged.because ?? '',
    remedy: judged.verdict === 'ok' ? '' : parts.remedy,
  }
}

/** A row without a measurement is unknown, not ok (assurance A46). */
export function unknownRow(
  name: string,
  multipliers: Multipliers,
  because: string,
  remedy: string,
): ReviewRow {
  const figures = multipliers.map((multiplier) => ({ multiplier, value: null, text: '' }))
  return { name, figures, exponent: undefined, verdict: 'unknown', because, remedy }
}

/** A row whose figure has no bound (load-forecast L22): listed, not given a figure. */
export function unboundedRow(
  name: string,
  multipliers: Multipliers,
  because: string,
  remedy: string,
): ReviewRow {
  return { ...unknownRow(name, multipliers, because, remedy), verdict: 'unbounded' }
}

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const

/** Three figures: `0.984`, `23.6`, `384,706`. */
export function amount(value: number): string {
  if (!Number.isFinite(value)) return 'without end'
  if (value === 0) return '0'
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-US')
  const text = Number(value.toPrecision(3))
  return Math.abs(text) < 1e-6 ? '0' : String(text)
}

export function seconds(value: number): string {
  if (!Number.isFinite(value)) return 'never'
  const [size, unit] = UNITS.find(([each]) => value >= each) ?? [0.001, 'ms']
  return `${amount(value / size)} ${unit}`
}

export const percent = (share: number): string => `${amount(share * 100)} %`
