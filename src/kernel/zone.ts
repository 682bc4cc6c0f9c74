import { floorDiv } from './arithmetic.ts'
import { daysFromCivil, US_PER_DAY, US_PER_HOUR, US_PER_MINUTE, US_PER_SECOND } from './calendar.ts'

const FIRST_US = daysFromCivil(1n, 1, 2) * US_PER_DAY
const LAST_US = daysFromCivil(9999n, 12, 30) * US_PER_DAY
/** No clock on Earth is further from UTC. */
const FURTHEST_US = 16n * US_PER_HOUR
const FIXED = /^([+-])(\d{2}):?(\d{2})$/

/**
 * The instant at which a wall clock of this zone first shows `wallUs` or more: before it every reading was smaller. In a
 * repeated hour the earlier of the two, in a skipped one the moment of the jump (spec A55). Undefined for a zone nobody
 * knows and outside the years 1 to 9999.
 */
export function firstInstantOf(zone: string, wallUs: bigint): bigint | undefined {
  const offset = offsetIn(zone)
  if (!offset || wallUs < FIRST_US + FURTHEST_US || wallUs > LAST_US - FURTHEST_US) return undefined
  let instant = wallUs - FURTHEST_US
  for (;;) {
    const missing = wallUs - (instant + offset(instant))
    if (missing <= 0n) return instant
    const reached = instant + missing
    if (offset(reached) === offset(instant)) return reached
    instant = changeBetween(offset, instant, reached)
  }
}

/** The instant, to the second, from which on the offset is another; `from` and `to` have different ones. */
function changeBetween(offset: (us: bigint) => bigint, from: bigint, to: bigint): bigint {
  let [before, after] = [from, to]
  while (after - before > US_PER_SECOND) {
    const middle = floorDiv(before + after, 2n * US_PER_SECOND) * US_PER_SECOND
    if (middle <= before) break
    if (offset(middle) === offset(from)) before = middle
    else after = middle
  }
  return floorDiv(after, US_PER_SECOND) * US_PER_SECOND
}

/** Wall reading minus UTC at an instant, in µs. */
function offsetIn(zone: string): ((us: bigint) => bigint) | undefined {
  const fixed = FIXED.exec(zone)
  if (fixed) {
    const us = BigInt(fixed[2]!) * US_PER_HOUR + BigInt(fixed[3]!) * US_PER_MINUTE
    return () => (fixed[1] === '-' ? -us : us)
  }
  const clock = clockOf(zone)
  return clock && ((us) => readClock(clock, us) - floorDiv(us, US_PER_SECOND) * US_PER_SECOND)
}

const clocks = new Map<string, Intl.DateTimeFormat | undefined>()

function clockOf(timeZone: string): Intl.DateTimeFormat | undefined {
  if (!clocks.has(timeZone)) clocks.set(timeZone, makeClock(timeZone))
  return clocks.get(timeZone)
}

function makeClock(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    const numeric = 'numeric' as const
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    })
  } catch {
    return undefined
  }
}

/** What the clock shows at an instant, floored to the second, as if it were UTC. */
function readClock(clock: Intl.DateTimeFormat, us: bigint): bigint {
  const ms = Number(floorDiv(us, US_PER_SECOND)) * 1000
  const parts = new Map(clock.formatToParts(ms).map(({ type, value }) => [type, value]))
  const part = (name: Intl.DateTimeFormatPartTypes): bigint => BigInt(parts.get(name) ?? '0')
  const days = daysFromCivil(part('year'), Number(part('month')), Number(part('day')))
  const seconds = part('hour') * 3600n + part('minute') * 60n + part('second')
  return days * US_PER_DAY + seconds * US_PER_SECOND
}
