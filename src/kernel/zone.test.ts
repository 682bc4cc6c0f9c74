import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTimestamp, US_PER_HOUR, US_PER_MINUTE } from './calendar.ts'
import { firstInstantOf } from './zone.ts'

const us = (text: string): bigint => parseTimestamp(text)!

test.each([
  ['Europe/Berlin', '2025-07-01 12:00:00', '2025-07-01 10:00:00Z'],
  ['Europe/Berlin', '2025-10-26 01:59:59.999999', '2025-10-25 23:59:59.999999Z'],
  // The repeated hour: 02:00 to 03:00 is shown twice, and its first showing counts.
  ['Europe/Berlin', '2025-10-26 02:00:00', '2025-10-26 00:00:00Z'],
  ['Europe/Berlin', '2025-10-26 02:30:00', '2025-10-26 00:30:00Z'],
  ['Europe/Berlin', '2025-10-26 03:00:00', '2025-10-26 02:00:00Z'],
  // The skipped hour: no clock shows 02:30; the jump passes it.
  ['Europe/Berlin', '2025-03-30 01:59:59', '2025-03-30 00:59:59Z'],
  ['Europe/Berlin', '2025-03-30 02:00:00', '2025-03-30 01:00:00Z'],
  ['Europe/Berlin', '2025-03-30 02:30:00', '2025-03-30 01:00:00Z'],
  ['Europe/Berlin', '2025-03-30 03:00:00', '2025-03-30 01:00:00Z'],
  ['Europe/Berlin', '2025-03-30 03:00:01', '2025-03-30 01:00:01Z'],
  // A whole day was skipped there.
  ['Pacific/Apia', '2011-12-30 12:00:00', '2011-12-30 10:00:00Z'],
  ['Asia/Kolkata', '2026-01-01 00:00:00', '2025-12-31 18:30:00Z'],
  ['UTC', '2026-01-01 00:00:00.000001', '2026-01-01 00:00:00.000001Z'],
  ['+05:30', '2026-01-01 00:00:00', '2025-12-31 18:30:00Z'],
  ['-03:00', '2026-01-01 00:00:00', '2026-01-01 03:00:00Z'],
])('%s first shows %s at %s (A55)', (zone, wall, instant) => {
  expect(firstInstantOf(zone, us(wall))).toBe(us(instant))
})

test('nobody knows a zone of that name, nor the years beyond', () => {
  expect(firstInstantOf('Mars/Olympus', us('2026-01-01'))).toBeUndefined()
  expect(firstInstantOf('Europe/Berlin', us('294276-12-31'))).toBeUndefined()
  expect(firstInstantOf('Europe/Berlin', us('4713-01-01 BC'))).toBeUndefined()
})

test('before it the clock always showed less, at it and ever after at least as much until it goes back', () => {
  const hours = fc.integer({ min: -40 * 24, max: 40 * 24 }).map((h) => BigInt(h) * US_PER_HOUR)
  const minutes = fc.integer({ min: 0, max: 59 }).map((m) => BigInt(m) * US_PER_MINUTE)
  const changes = [us('2025-10-26'), us('2025-03-30'), us('2024-11-03')]
  const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Tokyo']
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.constantFrom(...changes),
      hours,
      minutes,
      (zone, at, hour, minute) => {
        const wall = at + hour + minute
        const instant = firstInstantOf(zone, wall)!
        for (let back = 0n; back < 6n; back++) {
          const earlier = instant - back * 30n * US_PER_MINUTE - 1n
          expect(shownIn(zone, earlier) < wall).toBe(true)
        }
        expect(shownIn(zone, instant) >= wall).toBe(true)
      },
    ),
  )
})

/** The wall reading, by formatting: another way than the code's. */
function shownIn(zone: string, instant: bigint): bigint {
  const fraction = ((instant % 1_000_000n) + 1_000_000n) % 1_000_000n
  const text = new Date(Number((instant - fraction) / 1000n)).toLocaleString('sv-SE', { timeZone: zone })
  return us(text) + fraction
}
