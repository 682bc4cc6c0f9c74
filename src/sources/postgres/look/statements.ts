import { createHash } from 'node:crypto'
import { assert } from '../../../kernel/assert.ts'
import type { LookScope, WordKind } from '../../../kernel/fingerprint/comparison.ts'
import { decodeKeyText } from '../../../kernel/fingerprint/key-text.ts'
import {
  type PostgresDialect,
  postgresDigest,
  postgresExpressions,
  postgresWord,
} from '../../../kernel/fingerprint/sql/postgres.ts'
import { quoteLiteral, quoteTable } from '../../../kernel/sql-text.ts'
import type { BucketPick, SnapshotLookRequest } from '../../look.ts'
import {
  type KeyColumn,
  keysPredicate,
  lanePredicates,
  type OrderedColumn,
  rangePredicate,
} from '../read/predicates.ts'

/** The queries of a look, as texts. */
export interface LookStatements {
  sums(scope: LookScope, word: WordKind, digits: number): string
  rows(scope: LookScope, word: WordKind, pick: BucketPick | undefined): string
  find(keyTexts: readonly string[], word: WordKind): string
}

export interface LookDialect extends PostgresDialect {
  /** `track_commit_timestamp` is on, and the table has system columns. */
  readonly hasCommitTimes: boolean
  readonly hasTransactions: boolean
}

const ALIAS = 't'

export function lookStatements(request: SnapshotLookRequest, dialect: LookDialect): LookStatements {
  const { shape, plan } = request
  const table = `${quoteTable(shape.table)} ${ALIAS}`
  const row = postgresExpressions(plan, dialect, ALIAS)
  const content = (word: WordKind): string =>
    word === 'row' ? row.rowText : `${row.keyText}||';'||${row.positionText}`
  const digestOf = (text: string): string => postgresDigest(text, dialect)

  const where = (scope: LookScope): string => {
    const predicate = scopePredicate(request, scope)
    return predicate === 'true' ? '' : ` WHERE ${predicate}`
  }
  return {
    sums: (scope, word, digits) =>
      `SELECT substr(${digestOf('k')},1,${digits}) AS bucket, count(*) AS row_count, sum(${postgresWord(digestOf('r'))}) AS word_sum
       FROM (SELECT ${row.keyText} AS k, ${content(word)} AS r FROM ${table}${where(scope)}) q GROUP BY 1`,
    rows(scope, word, pick) {
      const picked = pick
        ? ` WHERE substr(d,1,${pick.digits}) IN (${[...pick.buckets].map(quoteLiteral).join(', ')})`
        : ''
      return `SELECT k, d, p, ${postgresWord(digestOf('r'))} AS w FROM (
        SELECT k, ${digestOf('k')} AS d, p, r FROM (
          SELECT ${row.keyText} AS k, ${row.positionText} AS p, ${content(word)} AS r FROM ${table}${where(scope)}) q OFFSET 0) s${picked}
        ORDER BY d COLLATE "C", k COLLATE "C"`
    },
    find(keyTexts, word) {
      const texts = row.texts.map((text, i) => `${text} AS c${i}`)
      const written = [
        ...(dialect.hasTransactions ? ['t.xmin::text AS transaction'] : []),
        ...(dialect.hasCommitTimes
          ? ['(extract(epoch FROM pg_xact_commit_timestamp(t.xmin))::numeric * 1000000)::bigint AS committed']
          : []),
      ]
      const found = `SELECT ${[`${row.keyText} AS k`, `${row.positionText} AS p`, `${content(word)} AS r`, ...texts, ...written].join(', ')}
        FROM ${table} WHERE ${keysCondition(request, dialect, digestOf(row.keyText), keyTexts)}`
      return `SELECT q.*, ${digestOf('k')} AS d, ${postgresWord(digestOf('r'))} AS w FROM (${found}) q`
    },
  }
}

/** `ordered`: in no lane but `future`; `unordered`: in a lane, each by a condition that the position's index serves. */
function scopePredicate(request: SnapshotLookRequest, scope: LookScope): string {
  if (scope.rows === 'all') return 'true'
  const column = orderedColumn(request)
  if (scope.rows === 'ordered') return rangePredicate(column, scope.lower, scope.upper)
  const lanes = [...lanePredicates(column).values()]
  return lanes.length === 0 ? 'false' : lanes.map((lane) => `(${lane})`).join(' OR ')
}

function orderedColumn({ shape, order }: SnapshotLookRequest): OrderedColumn {
  const column = shape.columns.find(({ name }) => name === order.column)
  assert(column, `the position column ${order.column} is not in the table`)
  return { order, nativeType: column.nativeType, nullable: column.nullable, futureFromUs: undefined }
}

/**
 * By the key's index where every key can be written as literals, which a database of another encoding may not know; else by
 * the digests of the key texts.
 */
function keysCondition(
  { shape, plan }: SnapshotLookRequest,
  { isUtf8 }: LookDialect,
  keyDigest: string,
  keyTexts: readonly string[],
): string {
  if (keyTexts.length === 0) return 'false'
  const columns = plan.columns.slice(0, plan.keyCount)
  const types = columns.map(({ canonical }) => canonical)
  const keys = keyTexts.map((text) => decodeKeyText(types, text))
  const isKeyed =
    plan.keyCount < plan.columns.length || shape.keys.some((key) => key.columns.length === plan.keyCount)
  const isKnown = isUtf8 || keyTexts.every((text) => /^[\x20-\x7e]*$/.test(text))
  if (isKeyed && isKnown && keys.every((key) => key !== undefined)) {
    const key = columns.map(({ name }): KeyColumn => shape.columns.find((each) => each.name === name)!)
    return keysPredicate(key, keys)
  }
  const digests = keyTexts.map((text) => quoteLiteral(createHash(plan.digest).update(text).digest('hex')))
  return `${keyDigest} IN (${digests.join(', ')})`
}
