import { lostByClockBound, lostByDataMark } from '../../kernel/forecast/late-commits.ts'
import { type LatenessLaw, stretched } from '../../kernel/forecast/law.ts'
import type { MeasuredLateness, ReviewFacts } from './facts.ts'
import { amount, type Multipliers, makeRow, type ReviewRow, unknownRow } from './row.ts'

const NAME = 'late commits'
const REMEDY =
  'a fence that waits for open transactions; or a longer overlap, where plimsoll lateness says that one is enough'

/** Rows lost per run to lateness: none under a proven fence, else by what was measured at the nearest load (L10 to L12, L19). */
export function lateCommitsRow(facts: ReviewFacts, multipliers: Multipliers): ReviewRow {
  const { proof, reader, load, period, overlap, settle, lateness, lossRows } = facts
  if (proof === 'proven' && reader === 'ranges') {
    return makeRow(multipliers, {
      name: NAME,
      value: () => 0,
      text: () => '0 under a proven fence',
      judge: () => ({ verdict: 'ok' }),
      remedy: REMEDY,
    })
  }
  if (!lateness) return unknownRow(NAME, multipliers, 'lateness has never been measured well enough', REMEDY)
  if (!load || period === undefined || overlap === undefined)
    return unknownRow(NAME, multipliers, 'no rate, period or overlap is known', REMEDY)
  const at = (k: number): number => {
    const law = lawAt(lateness, k * load.rate)
    return reader === 'gt'
      ? lostByDataMark(k * load.rate, law, overlap, period)
      : lostByClockBound(k * load.rate, law, overlap + settle, period)
  }
  const never = lateness.exponent === undefined ? '; lateness at this load has never been measured' : ''
  return makeRow(multipliers, {
    name: NAME,
    value: at,
    text: (lost, k) => `${amount(lost)} rows a run${k > 1 ? never : ''}`,
    judge: (lost) =>
      lost > lossRows
        ? { verdict: 'breaks', because: `${amount(lost)} rows a run, wanted at most ${lossRows}` }
        : { verdict: 'ok' },
    remedy: REMEDY,
  })
}

function lawAt({ law, rate, exponent }: MeasuredLateness, wanted: number): LatenessLaw {
  return stretched(law, exponent === undefined || rate <= 0 ? 1 : (wanted / rate) ** exponent)
}
