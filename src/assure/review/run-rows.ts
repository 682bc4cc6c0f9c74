import {
  type Cadence,
  catchUpSeconds,
  type DurationModel,
  rowsPerRun,
  runSeconds,
  utilisation,
} from '../../kernel/forecast/run-duration.ts'
import type { ReviewFacts } from './facts.ts'
import { amount, type Multipliers, makeRow, percent, type ReviewRow, seconds, unknownRow } from './row.ts'

const YEAR = 365 * 86_400
const HOUR = 3_600
const WATCH_FROM = 0.7
const CATCH_UP_LIMIT = 24 * HOUR
const SHARE_LIMIT = 0.8
const SLOWER = 'parallel slices, or a longer period'

function cadenceOf({ load, period, overlap, targetRows }: ReviewFacts): Cadence | undefined {
  if (!load || period === undefined || overlap === undefined) return undefined
  return { rate: load.rate, period, overlap, targetRows: targetRows ?? 0 }
}

/** How the four rows of a run's time stand, or why nobody can say (load-forecast L20, L21). */
export function runRows(facts: ReviewFacts, multipliers: Multipliers): readonly ReviewRow[] {
  const cadence = cadenceOf(facts)
  if (!cadence) {
    const why = 'no rate, period or overlap is known'
    return NAMES.map(([name, remedy]) => unknownRow(name, multipliers, why, remedy))
  }
  const { duration } = facts
  const cost = overlapCostRow(cadence, duration, multipliers)
  if (!duration) {
    const why = 'too few runs to tell what a row costs'
    return [cost, ...NAMES.slice(1).map(([name, remedy]) => unknownRow(name, multipliers, why, remedy))]
  }
  return [
    cost,
    durationRow(cadence, duration, multipliers),
    catchUpRow(cadence, duration, multipliers),
    mergeRow(facts, cadence, duration, multipliers),
  ]
}

const NAMES = [
  ['overlap cost', 'a shorter overlap under a fence, or a longer period'],
  ['run duration', SLOWER],
  ['catching up after 1 h', SLOWER],
  ['destination merge', 'an index on the key, pruning, or append with a view'],
] as const

function overlapCostRow(
  cadence: Cadence,
  model: DurationModel | undefined,
  multipliers: Multipliers,
): ReviewRow {
  const [name, remedy] = NAMES[0]
  const share = cadence.overlap / (cadence.period + cadence.overlap)
  return makeRow(multipliers, {
    name,
    value: (k) => rowsPerRun(cadence, k).again,
    text: (again) => `${amount(again)} rows a run read again, ${percent(share)} of all`,
    judge: (_again, k) => {
      const isLong = model !== undefined && runSeconds(model, cadence, k) > cadence.period / 2
      if (share <= SHARE_LIMIT) return { verdict: 'ok' }
      if (isLong)
        return { verdict: 'breaks', because: 'most of a run that fills half of its period is read again' }
      return model ? { verdict: 'ok' } : { verdict: 'watch', because: 'most of what is read is read again' }
    },
    remedy,
  })
}

function durationRow(cadence: Cadence, model: DurationModel, multipliers: Multipliers): ReviewRow {
  const [name, remedy] = NAMES[1]
  return makeRow(multipliers, {
    name,
    value: (k) => runSeconds(model, cadence, k),
    text: (d) => `${seconds(d)} of ${seconds(cadence.period)} (ρ ${amount(d / cadence.period)})`,
    judge: (d) => {
      const rho = d / cadence.period
      if (rho >= 1)
        return {
          verdict: 'breaks',
          because: 'a run lasts longer than its period: the watermark falls behind without end',
        }
      return rho > WATCH_FROM
        ? { verdict: 'watch', because: `${percent(rho)} of the period is used` }
        : { verdict: 'ok' }
    },
    remedy,
  })
}

function catchUpRow(cadence: Cadence, model: DurationModel, multipliers: Multipliers): ReviewRow {
  const [name, remedy] = NAMES[2]
  return makeRow(multipliers, {
    name,
    value: (k) => catchUpSeconds(HOUR, utilisation(model, cadence, k)),
    text: (after) => (Number.isFinite(after) ? `after ${seconds(after)} more` : 'never'),
    judge: (after, k) => {
      if (after > CATCH_UP_LIMIT)
        return { verdict: 'breaks', because: 'an hour of standstill is not caught up in a day' }
      return utilisation(model, cadence, k) > WATCH_FROM
        ? { verdict: 'watch', because: `an hour of standstill takes ${seconds(after)}` }
        : { verdict: 'ok' }
    },
    remedy,
  })
}

function mergeRow(
  facts: ReviewFacts,
  cadence: Cadence,
  model: DurationModel,
  multipliers: Multipliers,
): ReviewRow {
  const [name, remedy] = NAMES[3]
  const { targetRows, growth } = facts
  if (targetRows === undefined || growth === undefined)
    return unknownRow(name, multipliers, 'how fast the table grows is not known', remedy)
  const inAYear = (k: number): Cadence => ({ ...cadence, targetRows: targetRows + k * growth * YEAR })
  return makeRow(multipliers, {
    name,
    value: (k) => runSeconds(model, inAYear(k), k),
    text: (d, k) => `${seconds(d)} a run with ${amount(inAYear(k).targetRows)} rows there in a year`,
    judge: (d) => {
      if (d > cadence.period)
        return { verdict: 'breaks', because: 'in a year a run lasts longer than its period' }
      return d > WATCH_FROM * cadence.period
        ? { verdict: 'watch', because: 'in a year most of the period is used' }
        : { verdict: 'ok' }
    },
    remedy,
  })
}
