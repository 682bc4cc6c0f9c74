import type { WireFormat } from '../../sources/source.ts'
import { createLineShift, parseRecord, recordStart } from './wire-rows.ts'
import { parseTextLine, textLineStart } from './wire-text.ts'

/** How the rows of a wire format are told to COPY, and found again in its bytes. */
export interface WireNotation {
  readonly copyOptions: string
  parse(record: Buffer): (string | null)[]
  /** Where the record begins that ends before `end`, or -1 when unknown. */
  start(bytes: Buffer, end: number): number
  /** How many lines more than COPY a count of `\n` gives. */
  createShift(): ReturnType<typeof createLineShift>
}

const NOTATIONS: Readonly<Record<WireFormat, WireNotation>> = {
  pg_text: {
    copyOptions: `(FORMAT text, ENCODING 'UTF8')`,
    parse: parseTextLine,
    start: textLineStart,
    createShift: () => ({ add: () => {}, value: () => 0 }),
  },
  plain_csv: {
    copyOptions: `(FORMAT csv, ENCODING 'UTF8')`,
    parse: parseRecord,
    start: recordStart,
    createShift: createLineShift,
  },
}

export const notationOf = (format: WireFormat): WireNotation => NOTATIONS[format]
