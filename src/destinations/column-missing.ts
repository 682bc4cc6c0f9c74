import { PlimsollError } from '../kernel/errors.ts'

/** A column of the source that was not landed yet has nothing to be compared with (spec F6). */
export function columnMissing(target: string, column: string): PlimsollError {
  return new PlimsollError('DESTINATION_TABLE_MISMATCH', `${target} has no column ${column} yet`, {
    hint: 'It is new at the source: run the table, which lands it, then look again.',
  })
}
