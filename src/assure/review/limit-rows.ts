import type { ReviewFacts } from './facts.ts'
import {
  amount,
  type Multipliers,
  makeRow,
  percent,
  type ReviewRow,
  seconds,
  unboundedRow,
  unknownRow,
} from './row.ts'

const PAGES = 'smaller pages, and back-pressure'
const FEWER = 'fewer streams at once'
const SHORTER = 'shorter transactions at the source'

/** What is held in memory at once; a reader without pages has no bound (load-forecast L22). */
export function memoryRow({ memory, pageRows }: ReviewFacts, multipliers: Multipliers): ReviewRow {
  const name = 'memory'
  if (pageRows === undefined)
    return unboundedRow(name, multipliers, 'a reader without pages holds whatever comes', PAGES)
  if (!memory) return unknownRow(name, multipliers, 'row sizes were not counted', PAGES)
  const { rowBytes, rowsInFlight, limitBytes } = memory
  return makeRow(multipliers, {
    name,
    value: () => rowBytes * rowsInFlight,
    text: (bytes) => `${amount(bytes / 1e6)} MB in flight of ${amount(limitBytes / 1e6)} MB`,
    judge: (bytes) => {
      if (bytes > limitBytes / 2)
        return { verdict: 'breaks', because: 'more than half of the memory is in flight' }
      return bytes > limitBytes / 4
        ? { verdict: 'watch', because: 'more than a quarter of the memory is in flight' }
        : { verdict: 'ok' }
    },
    remedy: PAGES,
  })
}

const LEAST_LEFT = 0.1

export function connectionsRow({ connections }: ReviewFacts, multipliers: Multipliers): ReviewRow {
  const name = 'connections'
  if (!connections) return unknownRow(name, multipliers, 'the server has no count of them', FEWER)
  const { ours, allowed, used } = connections
  return makeRow(multipliers, {
    name,
    value: () => Math.max(0, (allowed - used - ours) / allowed),
    text: (left) => `${ours} of ours and ${used} in use now of ${allowed}: ${percent(left)} left`,
    judge: (left) => {
      if (left < LEAST_LEFT)
        return { verdict: 'breaks', because: `${percent(left)} of the connections are left` }
      return left < 2 * LEAST_LEFT
        ? { verdict: 'watch', because: `${percent(left)} of the connections are left` }
        : { verdict: 'ok' }
    },
    remedy: FEWER,
  })
}

/** How long transactions are open: the fence waits for them. */
export function holdRow({ hold, lateness, load }: ReviewFacts, multipliers: Multipliers): ReviewRow {
  const name = 'fence hold'
  if (!hold) return unknownRow(name, multipliers, 'no open transaction was ever looked at', SHORTER)
  const exponent = lateness?.exponent ?? 0
  return makeRow(multipliers, {
    name,
    value: (k) => hold.longestSeconds * (load ? k ** exponent : 1),
    text: (longest) => `the longest open transaction ${seconds(longest)}`,
    judge: (longest) => {
      const limit = seconds(hold.alarmSeconds)
      if (longest > hold.alarmSeconds)
        return { verdict: 'breaks', because: `it holds the fence longer than ${limit}` }
      return longest > hold.alarmSeconds / 2
        ? { verdict: 'watch', because: `it comes near ${limit}` }
        : { verdict: 'ok' }
    },
    remedy: SHORTER,
  })
}
