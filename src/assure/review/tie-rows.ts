import { pageBoundary, pageBoundaryFrom, runBoundary, tiedShare } from '../../kernel/forecast/ties.ts'
import type { ReviewFacts } from './facts.ts'
import { amount, type Multipliers, makeRow, percent, type ReviewRow, unknownRow } from './row.ts'

const DAY = 86_400
/** A reader with `>` that loses this many rows a day is broken. */
const ROWS_A_DAY = 1
const RANGES = 'read half-open ranges below a fence, not > the largest value seen'

/** Ties at run boundaries: what a reader with `>` would lose, and that ranges lose nothing (load-forecast L5, L6, L8). */
export function tiesRow({ load, grain, period, reader }: ReviewFacts, multipliers: Multipliers): ReviewRow {
  const name = 'ties'
  if (!load || grain === undefined) return unknownRow(name, multipliers, whyNoRate(grain), RANGES)
  const runsADay = period === undefined ? undefined : DAY / period
  const here = reader === 'ranges' ? '; here 0' : ''
  return makeRow(multipliers, {
    name,
    value: (k) => runBoundary(k * load.rate * grain).expected,
    text: (lost, k) => {
      const tied = percent(tiedShare(k * load.rate * grain))
      const perDay = runsADay === undefined ? '' : `, ${amount(lost * runsADay)} a day at most`
      return `${tied} tied; a reader with > would lose ${amount(lost)} a run${perDay}${here}`
    },
    judge: (lost) => {
      if (reader === 'ranges') return { verdict: 'ok' }
      const perDay = lost * (runsADay ?? 1)
      if (perDay >= ROWS_A_DAY)
        return { verdict: 'breaks', because: `${amount(perDay)} rows a day lost to ties` }
      return { verdict: perDay >= ROWS_A_DAY / 10 ? 'watch' : 'ok', because: `${amount(perDay)} rows a day` }
    },
    remedy: RANGES,
  })
}

const whyNoRate = (grain: number | undefined): string =>
  grain === undefined ? 'positions are no moments, so they have no grain' : 'no rate was measured'

/** A tie this many pages long makes one tick a read of its own. */
const PAGES_A_TIE = 10
const KEYSET = 'page by (position, key); larger pages'

/** Ties at page boundaries, from the groups that stand in the data (load-forecast L7, L8). */
export function pagesRow(facts: ReviewFacts, multipliers: Multipliers): ReviewRow {
  const { ties, load, grain, pageRows, reader } = facts
  const name = 'page boundaries'
  if (pageRows === undefined) {
    const text = 'no pages, so no boundary inside a tie'
    return makeRow(multipliers, {
      name,
      value: () => 0,
      text: () => text,
      judge: () => ({ verdict: 'ok' }),
      remedy: KEYSET,
    })
  }
  const flat = load && grain !== undefined ? pageBoundary(load.rate * grain) : undefined
  const perBoundary = ties ? pageBoundaryFrom(ties) : flat
  if (perBoundary === undefined) return unknownRow(name, multipliers, 'ties were not counted', KEYSET)
  const largest = ties?.largest ?? 1
  const here = reader === 'ranges' ? '; here 0' : ''
  return makeRow(multipliers, {
    name,
    value: (k) => k * perBoundary,
    text: (lost, k) =>
      `a reader with > and LIMIT would lose ${amount(lost)} a page${here}; the largest tie is ${amount(k * largest)} of ${amount(pageRows)} rows a page`,
    judge: (lost, k) => {
      if (k * largest > PAGES_A_TIE * pageRows)
        return { verdict: 'breaks', because: `one tie fills ${amount((k * largest) / pageRows)} pages` }
      if (reader === 'gt' && lost > 0)
        return { verdict: 'breaks', because: `${amount(lost)} rows a page boundary` }
      return k * largest > pageRows
        ? { verdict: 'watch', because: 'one tie fills more than a page' }
        : { verdict: 'ok' }
    },
    remedy: KEYSET,
  })
}
