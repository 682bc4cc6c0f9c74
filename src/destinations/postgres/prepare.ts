import { PlimsollError } from '../../kernel/errors.ts'
import { quoteIdentifier, quoteTable } from '../../kernel/sql-text.ts'
import type { Prepared, StoredClaim, TargetTable } from '../destination.ts'
import { canHold, columnTypes } from './column-types.ts'
import type { ServerError } from './errors.ts'
import { ensureKeyIndex } from './key-index.ts'
import { checkNames, DELETED_COLUMN, SEQ_COLUMN } from './names.ts'
import { SEQ_DEFINITION } from './seq-column.ts'
import type { Session } from './sessions.ts'
import { createSchema } from './store.ts'
import { type ColumnFacts, hasRows, readTableFacts, type TableFacts } from './table-facts.ts'

type Types = ReadonlyMap<string, string>

/** Makes the target fit to land in, or says by name why it is not (spec E61, E67, STATE-4). One transaction. */
export async function prepareTable(
  session: Session,
  table: TargetTable,
  claim: StoredClaim | undefined,
  version: number,
): Promise<Prepared> {
  checkNames(table)
  const types = await columnTypes(session, table)
  const present = await readTableFacts(session, table.target)
  if (!present) {
    await createSchema(session, table.target.schema)
    await session.query(createSql(table, types)).catch((error: unknown) => refuseType(error, table))
    return { kind: 'created' }
  }
  if (!['r', 'p'].includes(present.kind)) mismatch(table, `${table.target.name} is not a table`, {})
  const isFilled = await hasRows(session, table.target)
  if (!claim && isFilled) refuseNotOurs(table)
  const facts = isFilled ? present : await retypeEmpty(session, table, types, present)
  checkColumns(table, types, facts, isFilled)
  const added = await addColumns(session, table, types, facts)
  await allowNullKeys(session, table, facts)
  // After a first load, whose slices land without it.
  if (claim?.watermark && isFilled) await ensureKeyIndex(session, table, version)
  return added.length === 0 ? { kind: 'unchanged' } : { kind: 'columns_added', columns: added }
}

function createSql(table: TargetTable, types: Types): string {
  const isRefused = (name: string) => table.nullKeys === 'refuse' && table.key.includes(name)
  const columns = [...types].map(
    ([name, type]) => `${quoteIdentifier(name)} ${type}${isRefused(name) ? ' NOT NULL' : ''}`,
  )
  return `CREATE TABLE ${quoteTable(table.target)} (${[...columns, SEQ_DEFINITION].join(', ')})`
}

async function addColumns(
  session: Session,
  table: TargetTable,
  types: Types,
  facts: TableFacts,
): Promise<string[]> {
  const missing = [...types].filter(([name]) => !facts.columns.has(name))
  const definitions = missing.map(([name, type]) => `${quoteIdentifier(name)} ${type}`)
  if (!facts.columns.has(SEQ_COLUMN)) definitions.push(SEQ_DEFINITION)
  if (definitions.length > 0) {
    const actions = definitions.map((definition) => `ADD COLUMN ${definition}`)
    await session
      .query(`ALTER TABLE ${quoteTable(table.target)} ${actions.join(', ')}`)
      .catch((error: unknown) => refuseType(error, table))
  }
  return missing.map(([name]) => name)
}

/**
 * A first load that was refused a value leaves its table empty; what the hint of the refusal asks for (`columns: { c: text }`)
 * then gives a column another type (spec E75). Tables that we never prepared keep theirs.
 */
async function retypeEmpty(
  session: Session,
  table: TargetTable,
  types: Types,
  facts: TableFacts,
): Promise<TableFacts> {
  const wrong = [...types].filter(([name, type]) => {
    const present = facts.columns.get(name)
    return present && !present.generated && !canHold(present.type, type)
  })
  if (!facts.columns.has(SEQ_COLUMN) || wrong.length === 0) return facts
  const actions = wrong.map(([name, type]) => `ALTER COLUMN ${quoteIdentifier(name)} TYPE ${type} USING NULL`)
  await session.query(`ALTER TABLE ${quoteTable(table.target)} ${actions.join(', ')}`)
  return (await readTableFacts(session, table.target))!
}

/** `nullKeys: match`, declared after the table was made without it (spec E55). */
async function allowNullKeys(session: Session, table: TargetTable, facts: TableFacts): Promise<void> {
  if (table.nullKeys !== 'match') return
  const strict = table.key.filter((name) => facts.columns.get(name)?.notNull)
  if (strict.length === 0) return
  const actions = strict.map((name) => `ALTER COLUMN ${quoteIdentifier(name)} DROP NOT NULL`)
  await session.query(`ALTER TABLE ${quoteTable(table.target)} ${actions.join(', ')}`)
}

function checkColumns(table: TargetTable, types: Types, facts: TableFacts, isFilled: boolean): void {
  for (const [name, wanted] of types) {
    const present = facts.columns.get(name)
    if (present) checkColumn(table, present, wanted)
  }
  const ours = [SEQ_COLUMN, DELETED_COLUMN]
  const foreign = [...facts.columns.keys()].find((name) => !ours.includes(name) && !types.has(name))
  if (foreign !== undefined) {
    mismatch(table, `${table.target.name} has a column ${foreign} that the source lacks`, { column: foreign })
  }
  const seq = facts.columns.get(SEQ_COLUMN)
  if (seq ? seq.type !== 'bigint' : isFilled) {
    const found = seq ? `is ${seq.type}` : 'is missing'
    mismatch(table, `the column ${SEQ_COLUMN} of ${table.target.name} ${found}; it must be bigint`, {
      column: SEQ_COLUMN,
    })
  }
}

function checkColumn(table: TargetTable, present: ColumnFacts, wanted: string): void {
  const { name, type: found } = present
  const context = { column: name, present: found, wanted }
  if (present.generated)
    mismatch(table, `column ${name} of ${table.target.name} is computed by the server`, context)
  if (!canHold(found, wanted)) {
    mismatch(
      table,
      `column ${name} of ${table.target.name} is ${found}, the source's needs ${wanted}`,
      context,
    )
  }
  if (table.key.includes(name) && !present.deterministic) {
    mismatch(table, `the collation of key column ${name} calls different texts equal`, context)
  }
}

function mismatch(table: TargetTable, message: string, context: Record<string, unknown>): never {
  throw new PlimsollError('DESTINATION_TABLE_MISMATCH', message, {
    hint: 'Alter the target table, or name another one; Plimsoll only ever adds columns.',
    context: { table: table.target.name, ...context },
  })
}

function refuseNotOurs({ target }: TargetTable): never {
  throw new PlimsollError('DESTINATION_NOT_OURS', `${target.schema}.${target.name} has rows but no claim`, {
    hint: 'Nothing tells what these rows are. Name another table with --as (as: in plimsoll.yaml), or empty this one.',
    context: { table: target.name },
  })
}

/** A type that this server does not have, or not with these modifiers. */
function refuseType(error: unknown, { target }: TargetTable): never {
  const { code, message } = error as ServerError
  if (!['42704', '22023', '42601'].includes(code ?? '')) throw error
  throw new PlimsollError('TYPE_NOT_SUPPORTED', `${target.name} cannot be made here: ${message}`, {
    hint: "`columns: { <column>: text }` takes the source's text instead.",
    cause: error,
    context: { table: target.name },
  })
}
