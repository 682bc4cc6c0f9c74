import { PlimsollError } from '../../../kernel/errors.ts'
import type { ReachFailpoint } from '../../../kernel/failpoint.ts'
import { LANES, type Lane } from '../../../kernel/lane.ts'
import type { Position } from '../../../kernel/position.ts'
import { quoteTable } from '../../../kernel/sql-text.ts'
import type { Reader, ReaderRequest, ReadScope, RowStream } from '../../source.ts'
import type { Connection } from '../connect/connection.ts'
import type { Pool } from '../connect/pool.ts'
import { snapshotStatements } from '../connect/session.ts'
import { readTableFacts } from '../describe/columns.ts'
import { copyRows } from './copy-rows.ts'
import { positionFromText } from './literals.ts'
import { waitForLog } from './replica-wait.ts'
import { type Statements, statementsFor } from './statements.ts'

/** The first thing that sees data: after it, snapshot and log position are fixed (spec E30, E50). */
const SNAPSHOT = `
SELECT txid_current_snapshot() AS snapshot, lsn,
       CASE WHEN standby THEN '' ELSE substr(pg_walfile_name(lsn), 1, 8) END AS timeline
FROM (SELECT standby, CASE WHEN standby THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END AS lsn
      FROM pg_is_in_recovery() standby) s`

/**
 * Opens one snapshot of one table, in the order that makes it correct (spec E9, E50): wait for the log, lock, check
 * the schema, and only then look. Throws REPLICA_BEHIND, SCHEMA_CHANGED, TABLE_NOT_FOUND.
 */
export async function openReader(pool: Pool, request: ReaderRequest, reach: ReachFailpoint): Promise<Reader> {
  const connection = await pool.lend()
  try {
    if (request.after) await waitForLog(connection, request.after, request.replicaWaitMs)
    await reach('replica.waited')
    await connection.rows(await lockStatements(connection, request))
    await reach('read.locked')
    await checkSchema(connection, request)
    const [snapshot] = await connection.rows(SNAPSHOT)
    await reach('read.snapshot_opened')
    return new PostgresReader(pool, connection, request, reach, {
      id: snapshot?.snapshot ?? '',
      lsn: snapshot?.lsn ?? '',
      timeline: snapshot?.timeline || (request.after?.timeline ?? ''),
    })
  } catch (error) {
    connection.destroy()
    await pool.giveBack(connection)
    throw error
  }
}

/**
 * A snapshot older than a rewriting ALTER or a TRUNCATE finds an empty table: so the lock comes before it. Materialized
 * views cannot be locked; a refresh leaves rows that older snapshots see as well.
 */
async function lockStatements(connection: Connection, request: ReaderRequest): Promise<string> {
  const { shape, queryMaxMs, lockTimeoutMs } = request
  const open = snapshotStatements(queryMaxMs, lockTimeoutMs)
  if (shape.kind === 'view') {
    const [view] = await connection.rows('SELECT relkind FROM pg_class WHERE oid = $1', [shape.objectId])
    if (view?.relkind === 'm') return open
  }
  return `${open}; LOCK TABLE ${quoteTable(shape.table)} IN ACCESS SHARE MODE`
}

async function checkSchema(connection: Connection, { shape }: ReaderRequest): Promise<void> {
  const { schema, name } = shape.table
  const facts = await readTableFacts(connection, shape.table)
  if (facts?.objectId === shape.objectId && facts.schemaHash === shape.schemaHash) return
  const what = !facts
    ? 'is gone'
    : facts.objectId !== shape.objectId
      ? 'is another table under the same name'
      : 'has other columns or types'
  throw new PlimsollError('SCHEMA_CHANGED', `${schema}.${name} ${what} than when this run began`, {
    hint: 'Run again: the new shape is looked at first.',
    context: { before: shape.schemaHash, now: facts?.schemaHash ?? null },
  })
}

interface Snapshot {
  readonly id: string
  readonly lsn: string
  readonly timeline: string
}

class PostgresReader implements Reader {
  readonly snapshotId: string
  readonly logPosition: Reader['logPosition']
  readonly #pool: Pool
  readonly #connection: Connection
  readonly #request: ReaderRequest
  readonly #reach: ReachFailpoint
  readonly #statements: Statements
  #copying = false
  #closed = false

  constructor(
    pool: Pool,
    connection: Connection,
    request: ReaderRequest,
    reach: ReachFailpoint,
    at: Snapshot,
  ) {
    this.#pool = pool
    this.#connection = connection
    this.#request = request
    this.#reach = reach
    this.#statements = statementsFor(request)
    this.snapshotId = at.id
    this.logPosition = at.lsn ? { timeline: at.timeline, text: at.lsn } : undefined
  }

  async nextBorder(
    from: Position | undefined,
    upper: Position,
    rowCount: number,
  ): Promise<Position | undefined> {
    return this.#position(this.#statements.border(from, upper, rowCount))
  }

  async newest(): Promise<Position | undefined> {
    return this.#position(this.#statements.newest())
  }

  async countLanes(limit: number): Promise<Partial<Record<Lane, number>>> {
    const sql = this.#statements.countLanes(limit)
    if (!sql) return {}
    const [row] = await this.#ask(sql)
    const counted = LANES.filter((lane) => row?.[lane] != null)
    return Object.fromEntries(counted.map((lane) => [lane, Number(row![lane])]))
  }

  read(scope: ReadScope): RowStream {
    this.#copying = true
    const stream = copyRows(this.#connection, {
      format: this.#request.format,
      prepare: async () => {
        const lastKey = await this.#lastKey(scope)
        const sql = `COPY (${this.#statements.scope(scope)}) TO STDOUT (FORMAT csv)`
        return lastKey ? { sql, lastKey } : { sql }
      },
      atEnd: async () => this.#reach('read.last_page_done'),
      cancel: () => this.#cancel(),
    })
    void stream.done.then(
      () => {
        this.#copying = false
      },
      () => {},
    )
    return stream
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    if (this.#copying) await this.#cancel()
    else await this.#connection.rows('ROLLBACK').catch(() => this.#connection.destroy())
    await this.#pool.giveBack(this.#connection)
  }

  async #lastKey(scope: ReadScope): Promise<readonly string[] | undefined> {
    const sql = this.#statements.lastKey(scope)
    if (!sql) return undefined
    const [row] = await this.#ask(sql)
    if (!row) return undefined
    return this.#request.key.map((name, i) => {
      const text = row[`k${i}`]
      if (text == null) {
        throw new PlimsollError('KEY_NULL', `a row without position has NULL in its key column ${name}`, {
          hint: 'Such rows cannot be paged by key; give them a position or a key.',
        })
      }
      return text
    })
  }

  /** The server is told on another connection, for this one is full of rows; then it is given up. */
  async #cancel(): Promise<void> {
    if (!this.#connection.usable) return
    const pid = String(this.#connection.backendPid)
    this.#connection.destroy()
    await this.#pool.ask('SELECT pg_cancel_backend($1::int)', [pid]).catch(() => {})
  }

  async #position(sql: string): Promise<Position | undefined> {
    const [row] = await this.#ask(sql)
    return row?.position == null ? undefined : positionFromText(this.#request.order, row.position)
  }

  async #ask(sql: string): ReturnType<Connection['rows']> {
    return this.#connection.rows(sql, [], this.#request.queryMaxMs)
  }
}
