import { assert } from '../../../kernel/assert.ts'
import { PlimsollError } from '../../../kernel/errors.ts'
import type { Position } from '../../../kernel/position.ts'
import { quoteIdentifier, quoteTable } from '../../../kernel/sql-text.ts'
import type { ConnectorContext, Reader, ReaderRequest, ReadScope, RowStream } from '../../source.ts'
import { type Db, untilFree } from '../connection.ts'
import { readTableFacts, type TableFacts } from '../describe/columns.ts'
import {
  afterKeyPredicate,
  borderPredicate,
  type KeyColumn,
  keyOrder,
  keysPredicate,
  lanePredicates,
  type OrderedColumn,
  positionFromValue,
  rangePredicate,
} from '../predicates.ts'
import { countLanes } from './lane-count.ts'
import { orderedColumn, rowidName } from './ordered-column.ts'
import { streamRows } from './row-stream.ts'
import { createRowWriter } from './row-writer.ts'

/**
 * Opens one snapshot on a connection of its own (spec E45, E50): its first read fixes schema and rows together. In WAL
 * mode nobody waits for it; in rollback mode writers cannot commit while it is open, so close it soon. `close` closes
 * the connection. Throws SCHEMA_CHANGED.
 */
export async function openReader(
  db: Db,
  request: ReaderRequest,
  context: ConnectorContext,
  snapshotId: string,
): Promise<Reader> {
  db.exec('BEGIN')
  const { table } = request.shape
  const facts = await untilFree(db, request.lockTimeoutMs, () => readTableFacts(db, table))
  await context.reach('read.locked')
  if (!facts || facts.schemaHash !== request.shape.schemaHash) throw schemaChanged(request, facts)
  await context.reach('read.snapshot_opened')
  const column = orderedColumn(request, facts)
  const writer = createRowWriter(db, {
    table,
    columns: request.shape.columns,
    key: request.key,
    asText: request.asText,
    rowidName: rowidName(facts),
  })
  const indexed = request.shape.positions.some((fact) => fact.column === column.order.column && fact.indexed)
  const streams = new Set<RowStream>()
  return {
    snapshotId,
    logPosition: undefined,
    async nextBorder(from, upper, rowCount) {
      assert(rowCount >= 1, 'a slice has rows')
      return findPosition(db, request, borderPredicate(column, from, upper), `LIMIT 1 OFFSET ${rowCount - 1}`)
    },
    read(scope) {
      const stream = streamRows(
        db,
        writer,
        {
          sql: scopeQuery(request, column, scope, writer.selectList),
          pageRows: request.pageRows,
          queryMaxMs: request.queryMaxMs,
          withLastKey: scope.kind === 'lane',
        },
        context.reach,
      )
      streams.add(stream)
      stream.bytes.once('close', () => streams.delete(stream))
      return stream
    },
    countLanes: (limit) => countLanes(db, table, column, indexed, limit),
    newest: async () =>
      findPosition(db, request, rangePredicate(column, undefined, undefined), 'LIMIT 1', 'DESC'),
    async close() {
      const closing = [...streams].map(
        (stream) => new Promise((resolve) => stream.bytes.once('close', resolve)),
      )
      for (const stream of streams) await stream.cancel()
      await Promise.all(closing)
      db.close()
    },
  }
}

/** The range query as it runs, and as it is explained (spec E51). */
export function rangeQuery(
  request: Pick<ReaderRequest, 'shape'>,
  column: OrderedColumn,
  lower: Position | undefined,
  upper: Position | undefined,
  selectList: string,
): string {
  return `SELECT ${selectList} FROM ${quoteTable(request.shape.table)} WHERE ${rangePredicate(column, lower, upper)}`
}

function scopeQuery(
  request: ReaderRequest,
  column: OrderedColumn,
  scope: ReadScope,
  selectList: string,
): string {
  if (scope.kind === 'range')
    return rangeQuery(request, column, scope.range.lower, scope.range.upper, selectList)
  if (scope.kind === 'peek') return rangeQuery(request, column, scope.from, undefined, selectList)
  const from = `SELECT ${selectList} FROM ${quoteTable(request.shape.table)}`
  const key = keyColumns(request)
  if (scope.kind === 'keys') return `${from} WHERE ${keysPredicate(key, scope.keys)}`
  const lane = lanePredicates(column).get(scope.lane) ?? 'false'
  if (key.length === 0) return `${from} WHERE ${lane} LIMIT ${scope.limit}`
  const after = scope.afterKey ? ` AND ${afterKeyPredicate(key, scope.afterKey)}` : ''
  return `${from} WHERE (${lane})${after} ORDER BY ${keyOrder(key)} LIMIT ${scope.limit}`
}

function keyColumns(request: ReaderRequest): readonly KeyColumn[] {
  return request.key.map((name) => {
    const column = request.shape.columns.find((each) => each.name === name)
    assert(column, `the key column ${name} is not in the table`)
    return column
  })
}

function findPosition(
  db: Db,
  { shape, order }: ReaderRequest,
  predicate: string,
  limit: string,
  direction: 'ASC' | 'DESC' = 'ASC',
): Position | undefined {
  const c = quoteIdentifier(order.column)
  const sql = `SELECT ${c} FROM ${quoteTable(shape.table)} WHERE ${predicate} ORDER BY ${c} ${direction} ${limit}`
  const value = db.prepare(sql).pluck().get() as string | bigint | undefined
  return value === undefined ? undefined : positionFromValue(order, value)
}

function schemaChanged({ shape }: ReaderRequest, facts: TableFacts | undefined): PlimsollError {
  const what = facts ? 'was altered' : 'is gone'
  return new PlimsollError('SCHEMA_CHANGED', `${shape.table.name} ${what} between fence and read`, {
    hint: 'Run again: the new columns are then described, and added or refused as they are.',
  })
}
