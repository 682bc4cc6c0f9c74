import { assert } from '../../../kernel/assert.ts'
import { PlimsollError } from '../../../kernel/errors.ts'
import type { WordKind } from '../../../kernel/fingerprint/comparison.ts'
import { duckdbDigest, duckdbExpressions, duckdbWord } from '../../../kernel/fingerprint/sql/duckdb.ts'
import type { BucketPick, FoundRow, Look, LookedRow } from '../../../sources/look.ts'
import { columnMissing } from '../../column-missing.ts'
import type { StoredClaim, TargetLookRequest } from '../../destination.ts'
import { readClaim } from '../claim-rows.ts'
import type { Database } from '../database.ts'
import type { Row, Session } from '../session.ts'
import { hasStore } from '../store.ts'
import { DELETED_COLUMN } from '../target-columns.ts'
import { fillKeys } from './key-table.ts'
import { lookRelation, scopeCondition } from './relation.ts'

/** Rows of this transaction's own tables have no usable rowid: each page is a scan, so pages are large. */
const BATCH_ROWS = 20_000
const LEFT_OUT = 'plimsoll_left_out'
const WANTED = 'plimsoll_wanted'
const PICKED = 'plimsoll_picked'

/** Opens one snapshot of a target on a session of its own, with the claim that stands in it (spec A6). */
export async function openLook(
  database: Database,
  { table, plan, queryMaxMs }: TargetLookRequest,
): Promise<{ look: Look; claim: StoredClaim | undefined }> {
  const session = (await database.connect()).within(queryMaxMs)
  try {
    await session.run('BEGIN')
    const claim = (await hasStore(session)) ? await readClaim(session, table.stream) : undefined
    const columns = await readColumns(session, table.target)
    const missing = plan.columns.find(({ name }) => !columns.has(name))
    if (missing) throw columnMissing(`${table.target.schema}.${table.target.name}`, missing.name)
    const [now] = await session.row('SELECT epoch_us(current_timestamp)::VARCHAR')
    const relation = lookRelation(database.catalog, table, columns.has(DELETED_COLUMN))
    return { look: createLook(session, relation, { table, plan }, String(now)), claim }
  } catch (error) {
    session.close()
    throw error
  }
}

/** Names of the target's columns. Throws DESTINATION_WENT_BACK. */
async function readColumns(
  session: Session,
  { schema, name }: TargetLookRequest['table']['target'],
): Promise<ReadonlySet<string>> {
  const columns = await session.rows(
    `SELECT column_name FROM duckdb_columns()
     WHERE database_name = current_database() AND schema_name = $1 AND table_name = $2`,
    [schema, name],
  )
  if (columns.length > 0) return new Set(columns.map(([column]) => String(column)))
  throw new PlimsollError('DESTINATION_WENT_BACK', `${schema}.${name} is not at the destination`, {
    hint: 'The table is gone although its rows were claimed. plimsoll state rewind reads them again.',
  })
}

function createLook(
  session: Session,
  relation: string,
  { table, plan }: Pick<TargetLookRequest, 'table' | 'plan'>,
  takenUs: string,
): Look {
  const row = duckdbExpressions(plan, 't')
  const content = (word: WordKind): string => (word === 'row' ? row.rowText : `k||';'||p`)
  const word = duckdbWord(duckdbDigest('r', plan.digest))
  const digest = duckdbDigest('k', plan.digest)
  let hasLeftOut = false
  let pageCount = 0

  /** Rows of a scope as `k`, `p`, `r` and whatever else is asked for. */
  const rowsOf = (condition: string, kind: WordKind, more: readonly string[] = []): string => {
    const inner = [
      `${row.keyText} AS k`,
      `${row.positionText} AS p`,
      ...more,
      ...(kind === 'row' ? [`${row.rowText} AS r`] : []),
    ]
    const base = `SELECT ${inner.join(', ')} FROM ${relation} t WHERE ${condition}`
    return kind === 'row' ? base : `SELECT *, ${content(kind)} AS r FROM (${base})`
  }
  const leftOut = (scope: { rows: string }): string =>
    hasLeftOut && scope.rows === 'ordered' ? ` WHERE k NOT IN (SELECT k FROM ${LEFT_OUT})` : ''

  return {
    snapshotId: takenUs,
    logPosition: undefined,
    takenUs,
    async sums(scope, kind, digits) {
      const rows = rowsOf(scopeCondition(table, scope, 't'), kind)
      const sums = await session.rows(
        `SELECT substr(${digest},1,${digits}), count(*), sum(${word})::VARCHAR FROM (${rows})${leftOut(scope)} GROUP BY 1`,
      )
      return new Map(
        sums.map(([bucket, rowCount, wordSum]) => {
          assert(wordSum !== null, 'a bucket has no sum')
          return [String(bucket), { rowCount: rowCount as bigint, wordSum: BigInt(String(wordSum)) }]
        }),
      )
    },
    async *rows(scope, kind, pick) {
      if (pick?.buckets.size === 0) return
      const page = `plimsoll_look_${++pageCount}`
      if (pick) await fillKeys(session, PICKED, [...pick.buckets])
      const rows = rowsOf(scopeCondition(table, scope, 't'), kind)
      const digested = `SELECT k, ${digest} AS d, p, r FROM (${rows})${leftOut(scope)}`
      await session.run(
        `CREATE TEMP TABLE ${page} AS SELECT k, d, p, ${word} AS w, row_number() OVER (ORDER BY d, k) AS n FROM (${digested})${picked(pick)}`,
      )
      try {
        for (let from = 0; ; from += BATCH_ROWS) {
          const batch = await session.rows(
            `SELECT k, d, p, w FROM ${page} WHERE n > ${from} AND n <= ${from + BATCH_ROWS} ORDER BY n`,
          )
          if (batch.length > 0) yield batch.map(lookedRow)
          if (batch.length < BATCH_ROWS) return
        }
      } finally {
        await session.run(`DROP TABLE IF EXISTS ${page}`).catch(() => undefined)
      }
    },
    async find(keyTexts, kind) {
      if (keyTexts.length === 0) return []
      await fillKeys(session, WANTED, keyTexts)
      const more = row.texts.map((text, i) => `${text} AS c${i}`)
      const columns = row.texts.map((_, i) => `c${i}`).join(', ')
      const found = await session.rows(
        `SELECT k, ${digest}, p, ${word}, ${columns} FROM (${rowsOf('true', kind, more)}) WHERE k IN (SELECT k FROM ${WANTED})`,
      )
      return found.map(foundRow)
    },
    async leaveOut(keyTexts) {
      hasLeftOut = keyTexts.length > 0
      await fillKeys(session, LEFT_OUT, keyTexts)
    },
    async duplicates(limit) {
      const found = await session.rows(
        `SELECT ${row.keyText} FROM ${relation} t GROUP BY 1 HAVING count(*) > 1 LIMIT ${limit}`,
      )
      return found.map(([key]) => String(key))
    },
    async close() {
      await session.rollBack()
      session.close()
    },
  }
}

/** Joined, for a list of many thousand buckets takes DuckDB seconds to plan. */
function picked(pick: BucketPick | undefined): string {
  return pick ? ` WHERE substr(d,1,${pick.digits}) IN (SELECT k FROM ${PICKED})` : ''
}

function lookedRow([k, d, p, w]: Row): LookedRow {
  assert(k !== null && d !== null && p !== null && w !== null, 'a row has no text')
  return { keyText: String(k), keyDigest: String(d), position: String(p), word: w as bigint }
}

function foundRow([k, d, p, w, ...texts]: Row): FoundRow {
  return { ...lookedRow([k!, d!, p!, w!]), texts: texts.map(String) }
}
