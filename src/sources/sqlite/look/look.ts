import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { assert } from '../../../kernel/assert.ts'
import { PlimsollError } from '../../../kernel/errors.ts'
import type { LookScope, WordSum } from '../../../kernel/fingerprint/comparison.ts'
import { decodeKeyText } from '../../../kernel/fingerprint/key-text.ts'
import { quoteIdentifier, quoteTable } from '../../../kernel/sql-text.ts'
import type { FoundRow, Look, LookedRow, SourceLookRequest } from '../../look.ts'
import { type Db, named, untilFree } from '../connection.ts'
import { readTableFacts, type TableFacts } from '../describe/columns.ts'
import { keysPredicate, lanePredicates, type OrderedColumn, rangePredicate } from '../predicates.ts'
import type { Value } from '../read/encode.ts'
import { orderedColumn } from '../read/ordered-column.ts'
import { createRowTexts } from './row-texts.ts'

const BATCH_ROWS = 1_000
/** How many keys one statement asks for: SQLite bounds the depth of an expression. */
const KEYS_A_STATEMENT = 200

/** Opens one snapshot for checks on a connection of its own, which `close` closes. Throws SCHEMA_CHANGED. */
export async function openLook(db: Db, request: SourceLookRequest, snapshotId: string): Promise<Look> {
  const { shape, plan } = request
  db.exec('BEGIN')
  const facts = await untilFree(db, request.lockTimeoutMs, () => readTableFacts(db, shape.table))
  if (!facts || facts.schemaHash !== shape.schemaHash) throw schemaChanged(request)
  const takenUs = String(db.prepare(`SELECT CAST(unixepoch('subsec') * 1000000 AS INTEGER)`).pluck().get())
  const texts = createRowTexts(request)
  const table = quoteTable(shape.table)
  const columns = plan.columns.map(({ name }) => quoteIdentifier(name))
  const keys = columns.slice(0, plan.keyCount).join(', ')
  const digestKey = (...values: Value[]): string => texts.digest(texts.keyText(values))
  db.function('plimsoll_key_digest', { varargs: true, deterministic: true, safeIntegers: true }, digestKey)

  /** Rows of a query in short turns, so that the program stays alive; ends with SOURCE_QUERY_TOO_LONG. */
  async function* valuesOf(sql: string): AsyncGenerator<readonly Value[][]> {
    const began = performance.now()
    const rows = named(db.name, () => db.prepare(sql).raw(true).safeIntegers(true).iterate())
    try {
      for (;;) {
        const batch: Value[][] = []
        while (batch.length < BATCH_ROWS) {
          const next = named(db.name, () => rows.next())
          if (next.done) {
            if (batch.length > 0) yield batch
            return
          }
          batch.push(next.value as Value[])
        }
        yield batch
        if (performance.now() - began > request.queryMaxMs) throw tooLong(request.queryMaxMs)
        await nextTurn()
      }
    } finally {
      rows.return?.()
    }
  }
  const where = (scope: LookScope): string => scopeCondition(request, facts, scope)

  return {
    snapshotId,
    logPosition: undefined,
    takenUs,
    async sums(scope, word, digits) {
      const sums = new Map<string, { rowCount: bigint; wordSum: bigint }>()
      for await (const batch of valuesOf(
        `SELECT ${columns.join(', ')} FROM ${table} WHERE ${where(scope)}`,
      )) {
        for (const values of batch) {
          const row = texts.looked(values, word)
          const bucket = row.keyDigest.slice(0, digits)
          const sum = sums.get(bucket)
          if (sum) {
            sum.rowCount++
            sum.wordSum += row.word
          } else sums.set(bucket, { rowCount: 1n, wordSum: row.word })
        }
      }
      return sums as ReadonlyMap<string, WordSum>
    },
    async *rows(scope, word, pick) {
      if (pick?.buckets.size === 0) return
      const isPicked = (...values: Value[]): number =>
        !pick || pick.buckets.has(digestKey(...values).slice(0, pick.digits)) ? 1 : 0
      db.function('plimsoll_is_picked', { varargs: true, safeIntegers: true }, isPicked)
      const picked = pick ? ` AND plimsoll_is_picked(${keys})` : ''
      const sql = `SELECT ${columns.join(', ')} FROM ${table} WHERE (${where(scope)})${picked} ORDER BY plimsoll_key_digest(${keys})`
      for await (const batch of valuesOf(sql))
        yield batch.map((values): LookedRow => texts.looked(values, word))
    },
    async find(keyTexts, word) {
      const found: FoundRow[] = []
      for (let from = 0; from < keyTexts.length; from += KEYS_A_STATEMENT) {
        const condition = keysCondition(
          request,
          keyTexts.slice(from, from + KEYS_A_STATEMENT),
          texts.digest,
          keys,
        )
        for await (const batch of valuesOf(`SELECT ${columns.join(', ')} FROM ${table} WHERE ${condition}`)) {
          for (const values of batch) found.push(texts.found(values, word))
        }
      }
      return found
    },
    async leaveOut(keyTexts) {
      assert(keyTexts.length === 0, 'nothing is written at the source: rows are left out at the destination')
    },
    async duplicates(limit) {
      const sql = `SELECT ${columns.join(', ')} FROM ${table} GROUP BY ${keys} HAVING count(*) > 1 LIMIT ${limit}`
      const found: string[] = []
      for await (const batch of valuesOf(sql)) found.push(...batch.map((values) => texts.keyText(values)))
      return found
    },
    async close() {
      db.close()
    },
  }
}

function scopeCondition(request: SourceLookRequest, facts: TableFacts, scope: LookScope): string {
  if (scope.rows === 'all') return 'true'
  const column: OrderedColumn = orderedColumn({ ...request, futureFromUs: undefined }, facts)
  if (scope.rows === 'ordered') return rangePredicate(column, scope.lower, scope.upper)
  const lanes = [...lanePredicates(column).values()]
  return lanes.length === 0 ? 'false' : lanes.map((lane) => `(${lane})`).join(' OR ')
}

function keysCondition(
  { shape, plan }: SourceLookRequest,
  keyTexts: readonly string[],
  digest: (text: string) => string,
  keys: string,
): string {
  const columns = plan.columns.slice(0, plan.keyCount)
  const decoded = keyTexts.map((text) =>
    decodeKeyText(
      columns.map(({ canonical }) => canonical),
      text,
    ),
  )
  if (plan.keyCount === plan.columns.length || decoded.some((key) => key === undefined)) {
    return `plimsoll_key_digest(${keys}) IN (${keyTexts.map((text) => `'${digest(text)}'`).join(', ')})`
  }
  const key = columns.map(({ name }) => ({
    name,
    type: shape.columns.find((each) => each.name === name)!.type,
  }))
  return keysPredicate(key, decoded as (string | null)[][])
}

function schemaChanged({ shape }: SourceLookRequest): PlimsollError {
  return new PlimsollError('SCHEMA_CHANGED', `${shape.table.name} was altered since it was described`, {
    hint: 'Look again: the new columns are then described.',
  })
}

function tooLong(queryMaxMs: number): PlimsollError {
  return new PlimsollError('SOURCE_QUERY_TOO_LONG', `a query ran longer than ${queryMaxMs} ms`, {
    hint: 'Raise checkQueryMax, or look at a window.',
  })
}
