import { PlimsollError } from '../../kernel/errors.ts'
import { quoteLiteral } from '../../kernel/sql-text.ts'
import type { TargetTable } from '../destination.ts'
import type { TargetColumn } from './target-columns.ts'

const MARK = 'plimsoll refuses '
const SHOWN_TEXT_LENGTH = 1000

interface RefusedValue {
  readonly column: string
  readonly key: readonly (string | null)[]
  readonly text: string | undefined
}

/** SQL that raises for a value, naming column, key and text. `raw(i)` is the i-th column as it came. */
export function refusal(
  columns: readonly TargetColumn[],
  index: number,
  raw: (index: number) => string,
  { key }: TargetTable,
): string {
  const keyTexts = key.map((name) => `${raw(columns.findIndex((column) => column.name === name))}::VARCHAR`)
  const facts = `{'column': ${index}, 'key': [${keyTexts.join(', ')}]::VARCHAR[], 'text': ${raw(index)}::VARCHAR}`
  return `error(${quoteLiteral(MARK)} || to_json(${facts})::VARCHAR)`
}

/** What DuckDB said about a piece of CSV, as a failure that names column, key and text (spec E75); or as it was. */
export function nameValue(error: unknown, columns: readonly TargetColumn[], table: TargetTable): unknown {
  if (!(error instanceof PlimsollError) || !(error.cause instanceof Error)) return error
  const { message } = error.cause
  const refused = fromRefusal(message, columns) ?? fromConversion(message, columns, table)
  if (refused) return notRepresentable(refused, columns, error)
  if (/Maximum line size|full read on this file/.test(message)) return rowTooLong(table, error)
  if (/Invalid unicode/.test(message)) return notUtf8(table, message, error)
  return error
}

function fromRefusal(message: string, columns: readonly TargetColumn[]): RefusedValue | undefined {
  const at = message.indexOf(MARK)
  if (at < 0) return undefined
  const json = message.slice(at + MARK.length).split('\n')[0]!
  const facts = JSON.parse(json) as { column: number; key: (string | null)[]; text: string }
  return { ...facts, column: columns[facts.column]!.name }
}

/**
 * `CSV Error on Line: n\nOriginal Line: …\nError when converting column "c3". Could not convert string "…" to 'T'`. The first
 * such words count: in the line before them quotes are doubled. DuckDB cuts long lines off.
 */
function fromConversion(
  message: string,
  columns: readonly TargetColumn[],
  table: TargetTable,
): RefusedValue | undefined {
  const at = message.indexOf('\nError when converting column "c')
  const match = CONVERSION.exec(message.slice(at))
  if (at < 0 || !match) return undefined
  const line = /Original Line: ([\s\S]*)$/.exec(message.slice(0, at))?.[1] ?? ''
  const fields = parseCsvLine(line)
  // Of a line that was cut off, all fields but the last are whole.
  const known = fields.length === columns.length ? fields : fields.slice(0, -1)
  const keyIndexes = table.key.map((name) => columns.findIndex((column) => column.name === name))
  const key = keyIndexes.every((index) => index < known.length)
    ? keyIndexes.map((index) => known[index] ?? null)
    : []
  const index = Number(match[1])
  return { column: columns[index]!.name, key, text: known[index] ?? match[2] }
}

const CONVERSION = /^\nError when converting column "c(\d+)"\.(?: Could not convert string "([\s\S]*)" to ')?/

/** The fields of one CSV row, as far as they can be read; NULL and empty text are told apart. */
export function parseCsvLine(line: string): (string | null)[] {
  const fields: (string | null)[] = []
  const field = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y
  for (;;) {
    const match = field.exec(line)
    if (!match) return [...fields, null]
    fields.push(match[1] === undefined ? match[2] || null : match[1].replaceAll('""', '"'))
    if (match[3] === '') return fields
  }
}

function notRepresentable(
  { column, key, text }: RefusedValue,
  columns: readonly TargetColumn[],
  cause: PlimsollError,
): PlimsollError {
  const { sqlType } = columns.find(({ name }) => name === column)!
  const shown = text?.slice(0, SHOWN_TEXT_LENGTH)
  const where = key.length > 0 ? ` (key ${JSON.stringify(key)})` : ''
  return new PlimsollError(
    'VALUE_NOT_REPRESENTABLE',
    `column ${column}${where}: DuckDB's ${sqlType} cannot hold ${JSON.stringify(shown)} exactly`,
    {
      hint: `\`columns: { ${column}: text }\` takes the source's text for all rows of the column.`,
      context: { column, key, text: shown },
      cause: cause.cause,
    },
  )
}

function rowTooLong(table: TargetTable, cause: PlimsollError): PlimsollError {
  return new PlimsollError(
    'VALUE_NOT_REPRESENTABLE',
    `a row of ${table.target.name} is longer than the memory limit allows`,
    {
      hint: 'A row may take a twelfth of `destination.memoryLimit`: raise it, for example to 1GB.',
      context: { table: table.target.name },
      cause: cause.cause,
    },
  )
}

function notUtf8(table: TargetTable, message: string, cause: PlimsollError): PlimsollError {
  const line = /Original Line: (.*)/.exec(message)?.[1]?.slice(0, SHOWN_TEXT_LENGTH)
  return new PlimsollError(
    'VALUE_NOT_REPRESENTABLE',
    `a text of ${table.target.name} is not UTF-8: ${line}`,
    {
      hint: 'DuckDB holds UTF-8 text only: correct the value at the source, or declare the column as bytes there.',
      context: { table: table.target.name, line },
      cause: cause.cause,
    },
  )
}
