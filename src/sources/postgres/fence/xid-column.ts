import { quoteIdentifier, quoteTable } from '../../../kernel/sql-text.ts'
import type { TableRef } from '../../source.ts'
import type { Row } from './control.ts'

/** BEFORE triggers fire in the order of their names: ours comes last, so that none undoes it. */
const TRIGGER = 'zzz_plimsoll_xid'
/** ROW 1, BEFORE 2, INSERT 4, UPDATE 16. */
const BEFORE_ROW_INSERT_UPDATE = '23'

/**
 * The statements that give a table an xid8 column for P3 (spec E28). The first block is one transaction: its lock waits
 * for every writer, so no row is written between the column's default and the trigger. Existing rows get 0, below
 * every transaction, and come with the first load. The index is built without locking out writers.
 */
export function xidColumnSql(table: TableRef, column: string): string {
  const name = quoteTable(table)
  const field = quoteIdentifier(column)
  const routine = quoteTable({ schema: table.schema, name: `plimsoll_xid_${table.name}` })
  return `BEGIN;
ALTER TABLE ${name} ADD COLUMN ${field} xid8 NOT NULL DEFAULT '0';
CREATE FUNCTION ${routine}() RETURNS trigger LANGUAGE plpgsql AS $plimsoll$${xidFunctionBody(column)}$plimsoll$;
CREATE TRIGGER ${TRIGGER} BEFORE INSERT OR UPDATE ON ${name} FOR EACH ROW EXECUTE FUNCTION ${routine}();
ALTER TABLE ${name} ENABLE ALWAYS TRIGGER ${TRIGGER};
COMMIT;
CREATE INDEX CONCURRENTLY ON ${name} (${field});`
}

/** The whole body of the trigger's function: what is compared when the trigger is verified. */
function xidFunctionBody(column: string): string {
  return `BEGIN NEW.${quoteIdentifier(column)} := pg_catalog.pg_current_xact_id(); RETURN NEW; END`
}

/**
 * What keeps the stamps of an xid8 column from being trusted, in words; undefined when every table below has our
 * trigger (spec E20), firing for every row, after all others. `rows` are those of STAMPING_TRIGGERS.
 */
export function xidTriggerFlaw(column: string, rows: readonly Row[]): string | undefined {
  const relations = new Map<string, Row[]>()
  for (const row of rows)
    relations.set(row.relation as string, [...(relations.get(row.relation!) ?? []), row])
  for (const triggers of relations.values()) {
    const flaw = flawOf(column, triggers)
    if (flaw) return `table ${triggers[0]?.relation_name}: ${flaw}`
  }
  return relations.size === 0 ? 'the table holds no rows of its own' : undefined
}

function flawOf(column: string, triggers: readonly Row[]): string | undefined {
  const body = xidFunctionBody(column)
  const at = triggers.findIndex(({ source }) => source?.trim() === body)
  const ours = triggers[at]
  if (!ours) return `no trigger sets ${column} to the transaction id`
  if (ours.type !== BEFORE_ROW_INSERT_UPDATE) return `trigger ${ours.name} is not BEFORE INSERT OR UPDATE`
  if (ours.always_fires !== 't') return `trigger ${ours.name} has a condition or a list of columns`
  if (ours.enabled !== 'A') return `trigger ${ours.name} is not ENABLE ALWAYS`
  const later = triggers[at + 1]
  return later && `trigger ${later.name} fires after ${ours.name} and may change ${column}`
}
