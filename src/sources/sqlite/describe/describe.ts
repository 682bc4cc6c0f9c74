import { PlimsollError } from '../../../kernel/errors.ts'
import { quoteIdentifier, quoteTable } from '../../../kernel/sql-text.ts'
import type { LogicalType } from '../../../kernel/types.ts'
import { nearestNames } from '../../nearest-names.ts'
import type { OrderDeclaration, PositionFact, TableRef, TableShape } from '../../source.ts'
import type { Db } from '../connection.ts'
import { templateOfValue } from './clock-text.ts'
import { type ColumnFacts, readTableFacts, type TableFacts } from './columns.ts'
import { gatherEvidence, isAutoincrement, readTriggers, scoreColumn, type Trigger } from './evidence.ts'
import { coarser, observeGrain, unknownGrain } from './grain.ts'
import { isIndexed, readIndexes, readKeys, type TableIndex } from './keys.ts'
import { orderOfColumn } from './order-of-column.ts'
import { estimateRows, listTables } from './tables.ts'

/** Below this a table without an index is looked through all the same. */
const SMALL_ROWS = 100_000
const VALUES_LOOKED_AT = 1_000

/** Everything about one table that a run decides by (spec E1, E5, E7, E35, E67). Throws TABLE_NOT_FOUND. */
export function describeTable(db: Db, table: TableRef, declared: OrderDeclaration | undefined): TableShape {
  const facts = readTableFacts(db, table)
  if (!facts) throw tableNotFound(db, table)
  const indexes = facts.kind === 'table' ? readIndexes(db, facts.table.name) : []
  const rowCountEstimate = facts.kind === 'table' ? estimateRows(db, facts.table.name) : undefined
  const context: Context = {
    db,
    facts,
    indexes,
    triggers: readTriggers(db, facts.table.name),
    autoincrement: isAutoincrement(facts),
    small: rowCountEstimate !== undefined && rowCountEstimate <= SMALL_ROWS,
  }
  return {
    table: facts.table,
    kind: facts.kind,
    objectId: facts.table.name,
    columns: facts.columns.map((column) => column.shape),
    keys: facts.kind === 'table' ? readKeys(facts, indexes) : [],
    positions: facts.columns.map((column) => positionFact(context, column, declared)),
    rowCountEstimate,
    schemaHash: facts.schemaHash,
  }
}

interface Context {
  readonly db: Db
  readonly facts: TableFacts
  readonly indexes: readonly TableIndex[]
  readonly triggers: readonly Trigger[]
  readonly autoincrement: boolean
  readonly small: boolean
}

function positionFact(
  context: Context,
  column: ColumnFacts,
  declaration: OrderDeclaration | undefined,
): PositionFact {
  const { db, facts } = context
  const { name, nullable, type, collation = 'BINARY' } = column.shape
  const declared = declaration?.column === name ? declaration : undefined
  const evidence = gatherEvidence(column, context.triggers)
  const indexed = isIndexed(facts, context.indexes, name)
  const searchable = indexed || context.small
  const byName = scoreColumn(column, evidence, indexed)
  const asked = declared !== undefined || (declaration === undefined && byName > 0)
  const wanted = asked && collation === 'BINARY'
  const template = wanted && searchable ? newestTemplate(db, facts.table, name, type) : undefined
  const answer = orderOfColumn(column, declared, { evidence, autoincrement: context.autoincrement, template })
  const sequence = 'order' in answer && answer.order.flavour === 'sequence'
  const fact = {
    column: name,
    nullable,
    indexed,
    evidence: sequence ? ['AUTOINCREMENT', ...evidence.texts] : evidence.texts,
    score: sequence ? SEQUENCE_SCORE : byName,
  }
  if ('refused' in answer) return { ...fact, order: undefined, refused: answer.refused }
  const { order } = answer
  const seen = wanted && searchable ? observeGrain(db, facts.table, order) : undefined
  const grain = coarser(declared?.grain ?? (seen === undefined ? unknownGrain(order) : order.tick), seen)
  return { ...fact, order: { ...order, grain }, refused: undefined }
}

/** A sequence never sees updates: any moment of change is better. */
const SEQUENCE_SCORE = 10

/** The template of most of the newest texts; undefined when there is none. */
function newestTemplate(db: Db, table: TableRef, column: string, type: LogicalType): string | undefined {
  if (type.name !== 'text') return undefined
  const c = quoteIdentifier(column)
  const sql = `SELECT ${c} FROM ${quoteTable(table)} WHERE ${c} >= '' AND ${c} < x'' ORDER BY ${c} DESC LIMIT ${VALUES_LOOKED_AT}`
  const counts = new Map<string, number>()
  for (const value of db.prepare(sql).pluck().all() as string[]) {
    const template = templateOfValue(value)
    if (template !== undefined) counts.set(template, (counts.get(template) ?? 0) + 1)
  }
  return [...counts].sort((a, b) => b[1] - a[1] || b[0].length - a[0].length)[0]?.[0]
}

function tableNotFound(db: Db, table: TableRef): PlimsollError {
  const known = listTables(db).map((each) => each.table.name)
  const nearest = nearestNames(table.name, known)
  const schema = table.schema === 'main' ? '' : 'In SQLite every table is in the schema main. '
  const names =
    nearest.length > 0
      ? `Did you mean ${nearest.join(' or ')}?`
      : known.length > 0
        ? `Tables here: ${known.slice(0, 10).join(', ')}.`
        : 'The file holds no table.'
  return new PlimsollError('TABLE_NOT_FOUND', `no table ${table.schema}.${table.name} in ${db.name}`, {
    hint: schema + names,
  })
}
