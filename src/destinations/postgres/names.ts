import { PlimsollError } from '../../kernel/errors.ts'
import type { TargetTable } from '../destination.ts'

/** The column that holds the readSeq of a row (spec E53). */
export const SEQ_COLUMN = '_plimsoll_seq'

/** When a row was found gone at the source (spec A27). Added by the first mark, empty in rows that are there. */
export const DELETED_COLUMN = '_plimsoll_deleted_at'

const OURS: readonly string[] = [SEQ_COLUMN, DELETED_COLUMN]

const MAX_NAME_BYTES = 63
const MAX_COLUMNS = 1600
const SYSTEM_COLUMNS = new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'])

/** Stops on every name that PostgreSQL would shorten or refuse: two names must never become one. */
export function checkNames(table: TargetTable): void {
  checkName('schema', table.target.schema)
  checkName('table', table.target.name)
  const seen = new Set<string>()
  for (const { name } of table.columns) {
    checkName('column', name)
    if (SYSTEM_COLUMNS.has(name)) refuse(`PostgreSQL keeps the column name "${name}" for itself`, name)
    if (OURS.includes(name)) refuse(`Plimsoll keeps the column name "${name}" for itself`, name)
    if (seen.has(name)) refuse(`the column "${name}" appears twice`, name)
    seen.add(name)
  }
  if (table.columns.length >= MAX_COLUMNS) {
    refuse(
      `${table.columns.length} columns are more than PostgreSQL takes beside ${SEQ_COLUMN}`,
      table.target.name,
    )
  }
}

function checkName(what: string, name: string): void {
  const byteSize = Buffer.byteLength(name)
  if (byteSize === 0) refuse(`PostgreSQL has no empty name for a ${what}`, name)
  if (name.includes('\0')) refuse(`the ${what} name ${JSON.stringify(name)} holds a NUL character`, name)
  if (byteSize > MAX_NAME_BYTES) {
    refuse(
      `the ${what} name "${name}" has ${byteSize} bytes; PostgreSQL would cut it to ${MAX_NAME_BYTES}`,
      name,
    )
  }
}

function refuse(reason: string, name: string): never {
  throw new PlimsollError('DESTINATION_TABLE_MISMATCH', reason, {
    hint: 'Give it another name at the source, or read it through a view that does.',
    context: { name },
  })
}
