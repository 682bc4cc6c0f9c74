import { PlimsollError } from '../../kernel/errors.ts'

/** One line for whoever asked for more than a repair brings (spec A30). */
export function tooMany(stream: string, count: number, limit: number, range: string): PlimsollError {
  return new PlimsollError('USAGE', `${stream}: ${count} rows are more than a repair brings (${limit})`, {
    hint: `Read them again as a range: plimsoll backfill ${stream}${range}`,
  })
}
