import { quoteIdentifier, quoteTable } from '../../../kernel/sql-text.ts'
import type { TableRef } from '../../source.ts'
import type { Db } from '../connection.ts'

/**
 * The collating sequence of a column. SQLite shows it nowhere but in the program of a sort (`+c` keeps the collation
 * and no index). One that only the application knows makes that fail, naming it.
 */
export function columnCollation(db: Db, table: TableRef, column: string): string {
  const c = quoteIdentifier(column)
  try {
    const program = db.prepare(`EXPLAIN SELECT +${c} FROM ${quoteTable(table)} ORDER BY +${c}`).all()
    const sorter = (program as { opcode: string; p4: string | null }[]).find((step) =>
      /^Sorter?Open$|^OpenEphemeral$/.test(step.opcode),
    )
    const name = /^k\(\d+,-?([^,)]*)/.exec(sorter?.p4 ?? '')?.[1]
    return name === undefined ? 'unknown' : name === 'B' || name === '' ? 'BINARY' : name
  } catch (error) {
    const unknown = /no such collation sequence: (.+)/.exec(error instanceof Error ? error.message : '')
    if (!unknown) throw error
    return unknown[1]!
  }
}
