import { InvalidArgumentError } from 'commander'
import { parseDurationMs } from '../config/duration.ts'

/** An option that is a whole number of at least 1. */
export function wholeNumber(text: string): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < 1 || !Number.isSafeInteger(number)) {
    throw new InvalidArgumentError('It must be a whole number of at least 1.')
  }
  return number
}

/** An option that is a duration: `10s`, `5m`. */
export function durationMs(text: string): number {
  const ms = parseDurationMs(text)
  if (ms === undefined || ms === 0) throw new InvalidArgumentError('It must be a duration such as 10s or 5m.')
  return ms
}
