import { quoteLiteral } from '../../kernel/sql-text.ts'
import type { TargetTable } from '../destination.ts'
import type { TargetColumn } from './target-columns.ts'
import { refusal } from './value-errors.ts'

/** Part of the memory limit that one row, and so DuckDB's reading buffer, may take. */
const ROW_SHARE = 12

/**
 * SELECT that yields the target's columns from the CSV in a pipe, in order. Sequential on purpose: see csv-pieces.ts.
 * Columns are called c0, c1, … there, for a source's names may be anything.
 */
export function readCsvSql(
  path: string,
  columns: readonly TargetColumn[],
  table: TargetTable,
  memoryLimitBytes: number,
): string {
  const types = columns.map(({ wire }, i) => `'c${i}': '${wire.csvType}'`)
  const raw = (index: number) => `c${index}`
  const values = columns.map(({ wire }, i) =>
    wire.convert ? wire.convert(raw(i), refusal(columns, i, raw, table)) : raw(i),
  )
  const rowBytes = Math.floor(memoryLimitBytes / ROW_SHARE)
  const options = [
    'auto_detect = false',
    'header = false',
    `columns = {${types.join(', ')}}`,
    `delim = ','`,
    `quote = '"'`,
    `escape = '"'`,
    `new_line = '\\n'`,
    `nullstr = ''`,
    'allow_quoted_nulls = false',
    'parallel = false',
    `max_line_size = ${rowBytes}`,
    `buffer_size = ${rowBytes}`,
  ]
  return `SELECT ${values.join(', ')} FROM read_csv(${quoteLiteral(path)}, ${options.join(', ')})`
}
