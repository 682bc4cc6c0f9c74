import { PlimsollError } from '../../../kernel/errors.ts'
import { quoteIdentifier, quoteTable } from '../../../kernel/sql-text.ts'
import type {
  ColumnShape,
  ConnectorContext,
  OrderDeclaration,
  PartitionShape,
  PositionFact,
  TableRef,
  TableShape,
} from '../../source.ts'
import type { Row } from '../connect/connection.ts'
import type { Pool } from '../connect/pool.ts'
import { DATABASE_COLLATION, INDEXES, PARTITION_ROWS, PARTITIONS, TRIGGERS } from './catalog-query.ts'
import { collationRefusal } from './collation.ts'
import { readTableFacts, type TableFacts } from './columns.ts'
import { gatherEvidence, scoreColumn } from './evidence.ts'
import { canBeCut, isCutElsewhere, observeGrain, stepOf, UNKNOWN_GRAIN } from './grain.ts'
import { indexedColumns, readKeys } from './keys.ts'
import { type OrderAnswer, orderOfColumn } from './order-of-column.ts'
import { listTables, tableKind, tableNotFound } from './tables.ts'

/** Below this a table without an index is looked through all the same. */
const SMALL_BYTES = 32 * 1024 * 1024

/** Everything about one table that a run decides by (spec E1, E5, E7, E67). Throws TABLE_NOT_FOUND. */
export async function describeTable(
  pool: Pool,
  table: TableRef,
  declared: OrderDeclaration | undefined,
  note: ConnectorContext['note'],
): Promise<TableShape> {
  const connection = await pool.control()
  const facts = await readTableFacts(connection, table)
  if (!facts) throw tableNotFound(table, await listTables((sql) => pool.ask(sql)), pool.place)
  refuseForeign(table, facts)
  const [indexes, triggers, [database]] = [
    await connection.rows(INDEXES, [facts.objectId]),
    await connection.rows(TRIGGERS, [facts.objectId]),
    await connection.rows(DATABASE_COLLATION),
  ]
  const names = new Map(facts.columns.map((column, i) => [facts.catalogRows[i]!.number!, column]))
  const indexed = indexedColumns(indexes, names)
  const inherits = facts.relkind === 'r' && facts.hasChildren
  const rows = await estimateRows(pool, table, facts, note)
  if (facts.persistence === 'u') {
    note(
      `${table.schema}.${table.name} is unlogged: its rows vanish after a crash of the source, and no replica has them`,
    )
  }
  const ask = (sql: string): Promise<Row[]> => pool.ask(sql)
  const positions: PositionFact[] = []
  for (const [i, column] of facts.columns.entries()) {
    const row = facts.catalogRows[i]!
    const searchable = indexed.has(column.name) || (facts.relkind === 'r' && facts.byteSize < SMALL_BYTES)
    positions.push(
      await positionFact(ask, table, column, row, {
        triggers,
        database: database!,
        declared: declared?.column === column.name ? declared : undefined,
        someDeclared: declared !== undefined,
        indexed: indexed.has(column.name),
        searchable,
      }),
    )
  }
  return {
    table,
    kind: tableKind(facts.relkind),
    objectId: facts.objectId,
    columns: facts.columns,
    keys: readKeys(indexes, names, inherits),
    positions,
    rowCountEstimate: rows,
    schemaHash: facts.schemaHash,
    partitions: facts.hasChildren ? await partitionsOf(pool, facts.objectId) : [],
  }
}

/** A fence watches the writers of this server; a foreign table's writers are elsewhere. */
function refuseForeign(table: TableRef, facts: TableFacts): void {
  if (facts.relkind !== 'f') return
  throw new PlimsollError('TABLE_NOT_FOUND', `${table.schema}.${table.name} is a foreign table`, {
    hint: 'Its writers are on another server, which no fence taken here can watch. Make that server the source.',
  })
}

async function estimateRows(
  pool: Pool,
  table: TableRef,
  facts: TableFacts,
  note: ConnectorContext['note'],
): Promise<number | undefined> {
  if (facts.relkind === 'v') return undefined
  if (facts.relkind !== 'p') return facts.tuples < 0 ? undefined : facts.tuples
  const [leaves] = await pool.ask(PARTITION_ROWS, [facts.objectId])
  if (leaves?.has_foreign === 't') {
    note(`${table.schema}.${table.name} has foreign partitions: no fence taken here watches their writers`)
  }
  return leaves?.unknown === 't' || leaves?.tuples == null ? undefined : Number(leaves.tuples)
}

async function partitionsOf(pool: Pool, objectId: string): Promise<PartitionShape[]> {
  const rows = await pool.ask(PARTITIONS, [objectId])
  return rows.map(({ oid, schema, name }) => ({ objectId: oid!, schema: schema!, name: name! }))
}

interface ColumnContext {
  readonly triggers: readonly Row[]
  readonly database: Row
  readonly declared: OrderDeclaration | undefined
  readonly someDeclared: boolean
  readonly indexed: boolean
  readonly searchable: boolean
}

type Ask = (sql: string) => Promise<Row[]>

async function positionFact(
  ask: Ask,
  table: TableRef,
  column: ColumnShape,
  row: Row,
  context: ColumnContext,
): Promise<PositionFact> {
  const evidence = gatherEvidence(row, context.triggers)
  const { declared, indexed, searchable } = context
  const answer = orderOfColumn(column, declared, {
    evidence,
    collationRefusal: column.collation
      ? collationRefusal(column.collation, row.collation_schema ?? '', context.database)
      : undefined,
    template:
      declared?.encoding === 'iso' && searchable ? await newestTemplate(ask, table, column) : undefined,
  })
  const kind = 'order' in answer ? answer.order.kind : column.type.name
  const score = scoreColumn(column, kind, evidence, indexed)
  const wanted = declared !== undefined || (!context.someDeclared && score > 0)
  return {
    column: column.name,
    order:
      'order' in answer ? (wanted ? await withGrain(ask, table, answer, context) : answer.order) : undefined,
    refused: 'refused' in answer ? answer.refused : undefined,
    nullable: column.nullable,
    indexed,
    evidence: evidence.texts,
    score,
  }
}

/** The coarser of the declared grain and the observed one; a minute where neither says anything (spec E5). */
async function withGrain(
  ask: Ask,
  table: TableRef,
  { order }: Extract<OrderAnswer, { order: unknown }>,
  { declared, searchable }: ColumnContext,
): Promise<typeof order> {
  if (!canBeCut(order)) return order
  const observed = searchable ? await observeGrain(ask, table, order) : undefined
  const seenUs = observed?.grain ?? (declared?.grain === undefined ? UNKNOWN_GRAIN : undefined)
  const grain = seenUs === undefined ? order.grain : stepOf(order, seenUs)
  const truncated = observed && isCutElsewhere(observed) ? { truncation: observed.spacing } : {}
  return { ...order, ...truncated, grain: grain > order.grain ? grain : order.grain }
}

/** The fixed width that the largest value shows, as `YYYY-MM-DD HH:MM:SS.SSS`. */
async function newestTemplate(ask: Ask, table: TableRef, column: ColumnShape): Promise<string | undefined> {
  const c = quoteIdentifier(column.name)
  const [newest] = await ask(
    `SELECT ${c} AS v FROM ${quoteTable(table)} WHERE ${c} ~ '^[0-9]{4}-' ORDER BY ${c} DESC LIMIT 1`,
  )
  const match = /^\d{4}-\d\d-\d\d(?:([T ])\d\d:\d\d(?::\d\d(?:\.(\d{1,6}))?)?)?(Z?)$/.exec(newest?.v ?? '')
  if (!match) return undefined
  const [value, separator, fraction, zulu] = match
  const clock = separator ? `${separator}HH:MM:SS`.slice(0, value.slice(10, 19).replace('Z', '').length) : ''
  return `YYYY-MM-DD${clock}${fraction ? `.${'S'.repeat(fraction.length)}` : ''}${zulu}`
}
