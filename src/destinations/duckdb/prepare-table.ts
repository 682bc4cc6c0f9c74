import { PlimsollError } from '../../kernel/errors.ts'
import { quoteIdentifier } from '../../kernel/sql-text.ts'
import type { TableRef } from '../../sources/source.ts'
import type { Prepared, StoredClaim, TargetTable } from '../destination.ts'
import { MATCH_COLUMNS } from './merge.ts'
import type { Session } from './session.ts'
import {
  DELETED,
  DELETED_COLUMN,
  SEQ,
  SEQ_COLUMN,
  type TargetColumn,
  targetColumns,
  targetName,
} from './target-columns.ts'

/**
 * Makes the target fit to land in, or says by name why it is not (spec E61, E67, STATE-4). One transaction. No index on
 * the key: it would cost a third of a first load, and landings keep keys unique themselves.
 */
export async function prepareTable(
  session: Session,
  catalog: string,
  table: TargetTable,
  claim: StoredClaim | undefined,
): Promise<Prepared> {
  const columns = targetColumns(table)
  checkNames(table)
  const present = await readColumns(session, table.target)
  const target = targetName(catalog, table.target)
  if (!present) {
    await refuseTwin(session, table)
    await session.run(`CREATE SCHEMA IF NOT EXISTS ${catalog}.${quoteIdentifier(table.target.schema)}`)
    const definitions = columns.map(({ sql, sqlType }) => `${sql} ${sqlType}`)
    await session.run(`CREATE TABLE ${target} (${[...definitions, `${SEQ} BIGINT`].join(', ')})`)
    return { kind: 'created' }
  }
  const isFilled = (await session.rows(`SELECT 1 FROM ${target} LIMIT 1`)).length > 0
  if (!claim && isFilled) refuseNotOurs(table)
  if (!isFilled && present.has(SEQ_COLUMN)) await retypeEmpty(session, target, columns, present)
  checkColumns(table, columns, present, isFilled)
  const missing = columns.filter(({ name }) => !present.has(name))
  for (const { sql, sqlType } of missing)
    await session.run(`ALTER TABLE ${target} ADD COLUMN ${sql} ${sqlType}`)
  if (!present.has(SEQ_COLUMN)) await session.run(`ALTER TABLE ${target} ADD COLUMN ${SEQ} BIGINT`)
  if (missing.length === 0) return { kind: 'unchanged' }
  return { kind: 'columns_added', columns: missing.map(({ name }) => name) }
}

/** Names and types of the target's columns; undefined when there is no such table. */
async function readColumns(
  session: Session,
  { schema, name }: TableRef,
): Promise<Map<string, string> | undefined> {
  const [view] = await session.rows(
    `SELECT 1 FROM duckdb_views() WHERE database_name = current_database() AND schema_name = $1 AND view_name = $2`,
    [schema, name],
  )
  if (view) {
    throw new PlimsollError('DESTINATION_TABLE_MISMATCH', `${schema}.${name} is a view`, {
      hint: 'Name another table as the target, or drop the view.',
    })
  }
  const rows = await session.rows(
    `SELECT column_name, data_type FROM duckdb_columns()
     WHERE database_name = current_database() AND schema_name = $1 AND table_name = $2`,
    [schema, name],
  )
  return rows.length === 0 ? undefined : new Map(rows.map(([column, type]) => [String(column), String(type)]))
}

/** A table or schema whose name differs in case only stands in the way: DuckDB cannot hold both. */
async function refuseTwin(session: Session, { target }: TargetTable): Promise<void> {
  const [twin] = await session.rows(
    `SELECT schema_name FROM duckdb_schemas()
     WHERE database_name = current_database() AND lower(schema_name) = lower($1) AND schema_name <> $1
     UNION ALL SELECT concat(schema_name, '.', table_name) FROM duckdb_tables()
     WHERE database_name = current_database() AND schema_name = $1 AND lower(table_name) = lower($2)`,
    [target.schema, target.name],
  )
  if (!twin) return
  const name = `${target.schema}.${target.name}`
  throw new PlimsollError(
    'DESTINATION_TABLE_MISMATCH',
    `DuckDB does not tell ${name} from ${twin[0]}, which is there`,
    {
      hint: 'Give one of them another name at the destination (--as schema.name).',
      context: { table: name },
    },
  )
}

/**
 * A first load that was refused a value leaves its table empty; what the hint of the refusal asks for (`columns: { c: text }`)
 * then gives a column another type (spec E75). Tables that we never prepared keep theirs.
 */
async function retypeEmpty(
  session: Session,
  target: string,
  columns: readonly TargetColumn[],
  present: Map<string, string>,
): Promise<void> {
  for (const { name, sql, sqlType } of columns) {
    if (!present.has(name) || present.get(name) === sqlType) continue
    const retype = `ALTER TABLE ${target} ALTER COLUMN ${sql} TYPE ${sqlType} USING NULL::${sqlType}`
    // DuckDB alters no table with an index: what then keeps its type is named as a mismatch.
    const isDone = await session.run(retype).then(
      () => true,
      () => false,
    )
    if (!isDone) return
    present.set(name, sqlType)
  }
}

/** Ours, and `rowid`: a column of that name hides DuckDB's own, by which landings find the rows that they wrote. */
const TAKEN = new Set(['rowid', SEQ, DELETED, ...MATCH_COLUMNS].map((name) => name.replaceAll('"', '')))

/** DuckDB calls names equal that differ in case only. */
function checkNames(table: TargetTable): void {
  const seen = new Map<string, string>()
  for (const { name } of table.columns) {
    const folded = name.toLowerCase()
    if (TAKEN.has(folded)) refuseTaken(table, name)
    const twin = seen.get(folded)
    if (twin !== undefined) refuseTwins(table, twin, name)
    seen.set(folded, name)
  }
}

function checkColumns(
  table: TargetTable,
  columns: readonly TargetColumn[],
  present: ReadonlyMap<string, string>,
  isFilled: boolean,
): void {
  const wanted = new Map([
    ...columns.map(({ name, sqlType }) => [name, sqlType] as const),
    [SEQ_COLUMN, 'BIGINT'],
    [DELETED_COLUMN, 'TIMESTAMP WITH TIME ZONE'],
  ])
  for (const [name, found] of present) {
    const expected = wanted.get(name)
    if (expected === undefined)
      mismatch(table, `${table.target.name} has a column ${name} that the source lacks`, name)
    if (expected !== found) {
      mismatch(
        table,
        `column ${name} of ${table.target.name} is ${found}, the source's needs ${expected}`,
        name,
      )
    }
  }
  if (isFilled && !present.has(SEQ_COLUMN))
    mismatch(table, `the column ${SEQ_COLUMN} of ${table.target.name} is missing`, SEQ_COLUMN)
}

function mismatch(table: TargetTable, message: string, column: string): never {
  throw new PlimsollError('DESTINATION_TABLE_MISMATCH', message, {
    hint: 'Alter the target table, or name another one; Plimsoll only ever adds columns.',
    context: { table: table.target.name, column },
  })
}

function refuseTwins({ target }: TargetTable, one: string, other: string): never {
  const message = `DuckDB does not tell the columns ${one} and ${other} of the source apart`
  throw new PlimsollError('DESTINATION_TABLE_MISMATCH', message, {
    hint: 'Rename one at the source, or copy a view that calls it otherwise.',
    context: { table: target.name, column: other },
  })
}

function refuseTaken(table: TargetTable, column: string): never {
  const { name } = table.target
  throw new PlimsollError(
    'DESTINATION_TABLE_MISMATCH',
    `the source has a column ${column}, a name that Plimsoll needs for itself in DuckDB`,
    {
      hint: 'Rename it at the source, or copy a view that calls it otherwise.',
      context: { table: name, column },
    },
  )
}

function refuseNotOurs({ target }: TargetTable): never {
  throw new PlimsollError('DESTINATION_NOT_OURS', `${target.schema}.${target.name} has rows but no claim`, {
    hint: 'Nothing tells what these rows are. Name another table with --as (as: in plimsoll.yaml), or empty this one.',
    context: { table: target.name },
  })
}
