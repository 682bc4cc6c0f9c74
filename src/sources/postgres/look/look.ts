import { assert } from '../../../kernel/assert.ts'
import { PlimsollError } from '../../../kernel/errors.ts'
import type { ReachFailpoint } from '../../../kernel/failpoint.ts'
import type { WordSum } from '../../../kernel/fingerprint/comparison.ts'
import type { FoundRow, Look, LookedRow, SnapshotLookRequest, SourceLookRequest } from '../../look.ts'
import type { Row } from '../connect/connection.ts'
import type { Pool } from '../connect/pool.ts'
import { openSnapshot, type Snapshot } from '../read/snapshot.ts'
import { windowBorders } from './borders.ts'
import { type LookDialect, lookStatements } from './statements.ts'

const BATCH_ROWS = 5_000

/** Opens one snapshot for checks, as a reader does: replica, lock, schema, then the snapshot (spec A6, E29, E50). */
export async function openLook(pool: Pool, request: SourceLookRequest, reach: ReachFailpoint): Promise<Look> {
  const snapshot = await openSnapshot(pool, request, reach)
  const { connection } = snapshot
  let isClosed = false
  const close = async (): Promise<void> => {
    if (isClosed) return
    isClosed = true
    await connection.rows('ROLLBACK').catch(() => connection.destroy())
    await pool.giveBack(connection)
  }
  try {
    return await lookAt(snapshot, request, close)
  } catch (error) {
    connection.destroy()
    await close()
    throw error
  }
}

/** Looks at a snapshot that is open already, such as a reader's (spec A12, A13). */
export async function lookAt(
  snapshot: Snapshot,
  request: SnapshotLookRequest,
  close: () => Promise<void>,
): Promise<Look> {
  const { connection } = snapshot
  const ask = async (sql: string, values: readonly string[] = []): Promise<readonly Row[]> =>
    connection.rows(sql, values, request.queryMaxMs)
  const statements = lookStatements(request, await readDialect(snapshot, request, ask))
  // After the savepoint's last use: going back to it would undo the setting.
  await ask('SET LOCAL max_parallel_workers_per_gather = 0')
  let cursorCount = 0
  return {
    snapshotId: snapshot.id,
    logPosition: snapshot.logPosition,
    takenUs: snapshot.takenUs,
    async sums(scope, word, digits) {
      return sumsOf(await ask(statements.sums(scope, word, digits)))
    },
    async *rows(scope, word, pick) {
      if (pick?.buckets.size === 0) return
      const name = `plimsoll_look_${++cursorCount}`
      await ask(`DECLARE ${name} NO SCROLL CURSOR FOR ${statements.rows(scope, word, pick)}`)
      try {
        for (;;) {
          const batch = await ask(`FETCH ${BATCH_ROWS} FROM ${name}`)
          if (batch.length > 0) yield batch.map(lookedRow)
          if (batch.length < BATCH_ROWS) return
        }
      } finally {
        if (connection.usable) await ask(`CLOSE ${name}`).catch(() => connection.destroy())
      }
    },
    async find(keyTexts, word) {
      const found = await ask(statements.find(keyTexts, word))
      return found.map((row) => foundRow(row, request.plan.columns.length))
    },
    async leaveOut(keyTexts) {
      assert(keyTexts.length === 0, 'nothing is written at the source: rows are left out at the destination')
    },
    borders: (windowCount) => windowBorders(ask, request, windowCount),
    close,
  }
}

async function readDialect(
  { connection }: Snapshot,
  { shape, plan, asText }: SnapshotLookRequest,
  ask: (sql: string) => Promise<readonly Row[]>,
): Promise<LookDialect> {
  const [row] = await ask(
    `SELECT current_setting('server_encoding') AS encoding, current_setting('track_commit_timestamp') AS commits,
       pg_is_in_recovery() AS standby`,
  )
  if (row?.encoding === 'SQL_ASCII') {
    throw new PlimsollError(
      'TYPE_NOT_SUPPORTED',
      'the database is SQL_ASCII: what its texts mean is not known',
      {
        hint: 'Texts of such a database cannot be compared beside the data (fingerprint F17).',
      },
    )
  }
  const hasTransactions = shape.kind !== 'view'
  // A text is printed as it stands, whatever the column's type.
  const isAsIs = (column: { name: string; nativeType: string }): boolean =>
    column.nativeType === 'text' || !asText.includes(column.name)
  return {
    digest: plan.digest,
    isUtf8: row?.encoding === 'UTF8',
    versionNumber: connection.versionNumber,
    nativeTypes: new Map(shape.columns.filter(isAsIs).map(({ name, nativeType }) => [name, nativeType])),
    hasTransactions,
    hasCommitTimes:
      hasTransactions && row?.commits === 'on' && (row.standby === 'f' || (await keepsCommitTimes(ask))),
  }
}

/** A standby keeps them if its primary does, whatever its own setting says. */
async function keepsCommitTimes(ask: (sql: string) => Promise<readonly Row[]>): Promise<boolean> {
  try {
    await ask(`SELECT pg_xact_commit_timestamp('3'::xid)`)
    return true
  } catch {
    await ask('ROLLBACK TO SAVEPOINT plimsoll')
    return false
  }
}

/** A sum without a value is no result (spec F9). */
function sumsOf(rows: readonly Row[]): ReadonlyMap<string, WordSum> {
  return new Map(
    rows.map((row) => {
      assert(row.bucket != null && row.word_sum != null, 'a bucket has no sum')
      return [row.bucket, { rowCount: BigInt(row.row_count ?? '0'), wordSum: BigInt(row.word_sum) }]
    }),
  )
}

function lookedRow({ k, d, p, w }: Row): LookedRow {
  assert(k != null && d != null && p != null && w != null, 'a row has no text')
  return { keyText: k, keyDigest: d, position: p, word: BigInt(w) }
}

function foundRow(row: Row, columnCount: number): FoundRow {
  const { committed, transaction } = row
  return {
    ...lookedRow(row),
    texts: Array.from({ length: columnCount }, (_, i) => row[`c${i}`] ?? 'N'),
    ...(committed == null ? {} : { committedUs: committed }),
    ...(transaction == null ? {} : { transaction }),
  }
}
