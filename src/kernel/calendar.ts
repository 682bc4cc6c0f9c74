import { floorDiv, floorMod } from './arithmetic.ts'

/** Exact calendar arithmetic on µs since 1970-01-01, proleptic Gregorian, without Date. Years before 1 are BC. */

export const US_PER_SECOND = 1_000_000n
export const US_PER_MINUTE = 60n * US_PER_SECOND
export const US_PER_HOUR = 60n * US_PER_MINUTE
export const US_PER_DAY = 24n * US_PER_HOUR

/** Days since 1970-01-01 to [astronomical year, month 1..12, day 1..31]. */
export function civilFromDays(days: bigint): [bigint, number, number] {
  const shifted = days + 719_468n
  const era = floorDiv(shifted, 146_097n)
  const dayOfEra = shifted - era * 146_097n
  const yearOfEra = (dayOfEra - dayOfEra / 1460n + dayOfEra / 36_524n - dayOfEra / 146_096n) / 365n
  const dayOfYear = dayOfEra - (365n * yearOfEra + yearOfEra / 4n - yearOfEra / 100n)
  const shiftedMonth = (5n * dayOfYear + 2n) / 153n
  const day = Number(dayOfYear - (153n * shiftedMonth + 2n) / 5n + 1n)
  const month = Number(shiftedMonth < 10n ? shiftedMonth + 3n : shiftedMonth - 9n)
  return [yearOfEra + era * 400n + (month <= 2 ? 1n : 0n), month, day]
}

/** The inverse of civilFromDays. */
export function daysFromCivil(year: bigint, month: number, day: number): bigint {
  const y = month <= 2 ? year - 1n : year
  const era = floorDiv(y, 400n)
  const yearOfEra = y - era * 400n
  const shiftedMonth = BigInt(month > 2 ? month - 3 : month + 9)
  const dayOfYear = (153n * shiftedMonth + 2n) / 5n + BigInt(day) - 1n
  const dayOfEra = yearOfEra * 365n + yearOfEra / 4n - yearOfEra / 100n + dayOfYear
  return era * 146_097n + dayOfEra - 719_468n
}

const pad = (value: bigint | number, width: number): string => String(value).padStart(width, '0')

/** The date part of µs, as `YYYY-MM-DD`; with ` BC` when before year 1 (PostgreSQL's order of words). */
export function formatDateUs(us: bigint): string {
  const [year, month, day] = civilFromDays(floorDiv(us, US_PER_DAY))
  const shown = year > 0n ? year : 1n - year
  return `${pad(shown, 4)}-${pad(month, 2)}-${pad(day, 2)}${year > 0n ? '' : ' BC'}`
}

/**
 * µs as `YYYY-MM-DD HH:MM:SS.ffffff[zone][ BC]`, always six digits: what PostgreSQL reads as an exact literal.
 * `zone` is `''`, `'+00'` or `'Z'`.
 */
export function formatTimestampUs(us: bigint, zone: '' | '+00' | 'Z' = ''): string {
  const [date, era] = formatDateUs(us).split(' ') as [string, string | undefined]
  const inDay = floorMod(us, US_PER_DAY)
  const seconds = inDay / US_PER_SECOND
  const clock = `${pad(seconds / 3600n, 2)}:${pad((seconds / 60n) % 60n, 2)}:${pad(seconds % 60n, 2)}`
  return `${date} ${clock}.${pad(inDay % US_PER_SECOND, 6)}${zone}${era ? ' BC' : ''}`
}

const TIMESTAMP =
  /^(\d{4,6})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?( BC)?$/

/**
 * Text as people and databases write it to µs, or undefined when it is not a timestamp: date, optional time, optional
 * offset (subtracted; none means UTC or wall), optional ` BC`. Refuses impossible dates and more than six digits.
 */
export function parseTimestamp(text: string): bigint | undefined {
  const match = TIMESTAMP.exec(text.trim())
  if (!match) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', offset, era] = match
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const astronomical = era ? 1n - BigInt(year!) : BigInt(year!)
  const days = daysFromCivil(astronomical, Number(month), Number(day))
  const [checkYear, checkMonth, checkDay] = civilFromDays(days)
  if (checkYear !== astronomical || checkMonth !== Number(month) || checkDay !== Number(day)) return undefined
  const seconds = BigInt(hour) * 3600n + BigInt(minute) * 60n + BigInt(second)
  const us = days * US_PER_DAY + seconds * US_PER_SECOND + BigInt(fraction.padEnd(6, '0'))
  return us - parseOffset(offset)
}

function parseOffset(offset: string | undefined): bigint {
  if (!offset || offset === 'Z') return 0n
  const digits = offset.slice(1).replace(':', '').padEnd(4, '0')
  const us = BigInt(digits.slice(0, 2)) * US_PER_HOUR + BigInt(digits.slice(2, 4)) * US_PER_MINUTE
  return offset.startsWith('-') ? -us : us
}
