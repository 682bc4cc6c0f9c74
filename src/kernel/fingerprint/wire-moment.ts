import { daysFromCivil, formatDateUs, formatTimestampUs, parseTimestamp, US_PER_DAY } from '../calendar.ts'

/** Dates and moments in the wire's notation (WireFormat), where `(BC)` stands after the date. */

const DATE = /^(\d{4,7})-(\d{2})-(\d{2})( \(?BC\)?)?$/

/** µs of a moment as the wire or a person writes it; undefined for infinities and what is none. */
export function parseMoment(wire: string): bigint | undefined {
  if (wire.endsWith('infinity')) return undefined
  return parseTimestamp(wire.replace(/^(\S+) \(BC\)(.*)$/, '$1$2 BC'))
}

/** Days since 1970-01-01; undefined for infinities and what is no date. PostgreSQL's go to the year 5874897. */
export function parseDay(wire: string): bigint | undefined {
  const [, year, month, day, era] = DATE.exec(wire) ?? []
  if (year === undefined) return undefined
  const days = daysFromCivil(era ? 1n - BigInt(year) : BigInt(year), Number(month), Number(day))
  return formatDay(days) === wire.replace(/ BC$/, ' (BC)') ? days : undefined
}

/** `YYYY-MM-DD[ (BC)] HH:MM:SS[.ffffff]`, as PostgreSQL prints it: no zeros at the end of the fraction. */
export function formatMoment(us: bigint): string {
  const text = formatTimestampUs(us)
    .replace(/^(\S+) (\S+) BC$/, '$1 (BC) $2')
    .replace(/\.0+$/, '')
  return text.includes('.') ? text.replace(/0+$/, '') : text
}

export function formatDay(days: bigint): string {
  return formatDateUs(days * US_PER_DAY).replace(/ BC$/, ' (BC)')
}
