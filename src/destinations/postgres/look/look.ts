import { assert } from '../../../kernel/assert.ts'
import { PlimsollError } from '../../../kernel/errors.ts'
import type { WordKind } from '../../../kernel/fingerprint/comparison.ts'
import {
  type PostgresDialect,
  postgresDigest,
  postgresExpressions,
  postgresWord,
} from '../../../kernel/fingerprint/sql/postgres.ts'
import { quoteLiteral } from '../../../kernel/sql-text.ts'
import type { BucketPick, FoundRow, Look, LookedRow } from '../../../sources/look.ts'
import { columnMissing } from '../../column-missing.ts'
import type { StoredClaim, TargetLookRequest } from '../../destination.ts'
import { readClaim } from '../claim-rows.ts'
import { destinationError } from '../errors.ts'
import { DELETED_COLUMN } from '../names.ts'
import type { Session, Sessions } from '../sessions.ts'
import { storeExists } from '../store.ts'
import { readTableFacts, type TableFacts } from '../table-facts.ts'
import { holdSession } from './hold-session.ts'
import { keyDigest, keysCondition } from './keys-condition.ts'
import { lookRelation, scopeCondition } from './relation.ts'

const BATCH_ROWS = 5_000
const KEYS_A_CHUNK = 50_000

type Row = Readonly<Record<string, string | null>>

/** Opens one snapshot of a target on a session of its own, with the claim that stands in it (spec A6). */
export async function openLook(
  sessions: Sessions,
  request: TargetLookRequest,
): Promise<{ look: Look; claim: StoredClaim | undefined }> {
  const held = await holdSession(sessions, request.queryMaxMs, request.lockTimeoutMs)
  const { session } = held
  try {
    const claim = (await storeExists(session)) ? await readClaim(session, request.table.stream) : undefined
    const table = await readTarget(session, request)
    const facts = await readFacts(session)
    const dialect: PostgresDialect = {
      digest: request.plan.digest,
      isUtf8: facts.isUtf8,
      versionNumber: sessions.versionNumber(),
      nativeTypes: new Map([...table.columns].map(([name, { type }]) => [name, type])),
    }
    const relation = lookRelation(request.table, table.columns.has(DELETED_COLUMN))
    return { look: createLook(session, held.release, relation, request, dialect, facts), claim }
  } catch (error) {
    await held.release()
    throw error
  }
}

interface LookFacts {
  readonly isUtf8: boolean
  readonly takenUs: string
  readonly snapshotId: string
}

async function readFacts(session: Session): Promise<LookFacts> {
  const { rows } = await session.query(
    `SELECT txid_current_snapshot()::text AS snapshot, (extract(epoch FROM clock_timestamp())::numeric * 1000000)::bigint::text AS taken,
       current_setting('server_encoding') AS encoding`,
  )
  const [row] = rows
  return { isUtf8: row.encoding === 'UTF8', takenUs: String(row.taken), snapshotId: row.snapshot }
}

/** The target, with every column of the plan. Throws DESTINATION_WENT_BACK, DESTINATION_TABLE_MISMATCH. */
async function readTarget(session: Session, { table, plan }: TargetLookRequest): Promise<TableFacts> {
  const { schema, name } = table.target
  const facts = await readTableFacts(session, table.target)
  if (!facts) {
    throw new PlimsollError('DESTINATION_WENT_BACK', `${schema}.${name} is not at the destination`, {
      hint: 'The table is gone although its rows were claimed. plimsoll state rewind reads them again.',
    })
  }
  const missing = plan.columns.find((column) => !facts.columns.has(column.name))
  if (missing) throw columnMissing(`${schema}.${name}`, missing.name)
  return facts
}

function createLook(
  session: Session,
  release: () => Promise<void>,
  relation: string,
  { table, plan }: TargetLookRequest,
  dialect: PostgresDialect,
  facts: LookFacts,
): Look {
  const row = postgresExpressions(plan, dialect, 't')
  const content = (word: WordKind): string =>
    word === 'row' ? row.rowText : `${row.keyText}||';'||${row.positionText}`
  const digestOf = (text: string): string => postgresDigest(text, dialect)
  const word = postgresWord(digestOf('r'))
  let hasLeftOut = false
  let cursorCount = 0
  const ask = async (sql: string, values: unknown[] = []): Promise<Row[]> => {
    try {
      return (await session.query(sql, values)).rows
    } catch (error) {
      throw destinationError(error)
    }
  }
  const rowsOf = (condition: string, kind: WordKind, more: readonly string[] = []): string =>
    `SELECT ${[`${row.keyText} AS k`, `${row.positionText} AS p`, `${content(kind)} AS r`, ...more].join(', ')} FROM ${relation} t WHERE ${condition}`
  const leftOut = (scope: { rows: string }): string =>
    hasLeftOut && scope.rows === 'ordered'
      ? ` WHERE NOT EXISTS (SELECT FROM plimsoll_left_out o WHERE o.d = ${digestOf('q.k')})`
      : ''

  return {
    snapshotId: facts.snapshotId,
    logPosition: undefined,
    takenUs: facts.takenUs,
    async sums(scope, kind, digits) {
      const rows = rowsOf(scopeCondition(table, scope, 't'), kind)
      const sums = await ask(
        `SELECT substr(${digestOf('k')},1,${digits}) AS bucket, count(*)::text AS row_count, sum(${word})::text AS word_sum
         FROM (${rows}) q${leftOut(scope)} GROUP BY 1`,
      )
      return new Map(
        sums.map((sum) => {
          assert(sum.bucket != null && sum.word_sum != null, 'a bucket has no sum')
          return [sum.bucket, { rowCount: BigInt(sum.row_count ?? '0'), wordSum: BigInt(sum.word_sum) }]
        }),
      )
    },
    async *rows(scope, kind, pick) {
      if (pick?.buckets.size === 0) return
      const name = `plimsoll_look_${++cursorCount}`
      const rows = rowsOf(scopeCondition(table, scope, 't'), kind)
      const digested = `SELECT q.k, ${digestOf('k')} AS d, q.p, q.r FROM (${rows}) q${leftOut(scope)} OFFSET 0`
      await ask(
        `DECLARE ${name} NO SCROLL CURSOR FOR SELECT k, d, p, (${word})::text AS w FROM (${digested}) s${picked(pick)}
         ORDER BY d COLLATE "C", k COLLATE "C"`,
      )
      try {
        for (;;) {
          const batch = await ask(`FETCH ${BATCH_ROWS} FROM ${name}`)
          if (batch.length > 0) yield batch.map(lookedRow)
          if (batch.length < BATCH_ROWS) return
        }
      } finally {
        await session.query(`CLOSE ${name}`).catch(() => undefined)
      }
    },
    async find(keyTexts, kind) {
      const texts = row.texts.map((text, i) => `${text} AS c${i}`)
      const rows = rowsOf(keysCondition({ table, plan }, dialect, row, keyTexts), kind, texts)
      const found = await ask(`SELECT q.*, ${digestOf('k')} AS d, (${word})::text AS w FROM (${rows}) q`)
      return found.map(
        (each): FoundRow => ({
          ...lookedRow(each),
          texts: row.texts.map((_, i) => each[`c${i}`] ?? 'N'),
        }),
      )
    },
    async leaveOut(keyTexts) {
      hasLeftOut = keyTexts.length > 0
      await ask('DELETE FROM plimsoll_left_out')
      for (let from = 0; from < keyTexts.length; from += KEYS_A_CHUNK) {
        const chunk = keyTexts.slice(from, from + KEYS_A_CHUNK).map((text) => keyDigest(plan, text))
        await ask('INSERT INTO plimsoll_left_out SELECT unnest($1::text[])', [chunk])
      }
    },
    close: release,
  }
}

function picked(pick: BucketPick | undefined): string {
  return pick
    ? ` WHERE substr(d,1,${pick.digits}) IN (${[...pick.buckets].map(quoteLiteral).join(', ')})`
    : ''
}

function lookedRow({ k, d, p, w }: Row): LookedRow {
  assert(k != null && d != null && p != null && w != null, 'a row has no text')
  return { keyText: k, keyDigest: d, position: p, word: BigInt(w) }
}
