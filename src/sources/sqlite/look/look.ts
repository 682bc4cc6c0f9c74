import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { assert } from '../../../kernel/assert.ts'
import { PlimsollError } from '../../../kernel/errors.ts'
import type { LookScope, WordSum } from '../../../kernel/fingerprint/comparison.ts'
import { decodeKeyText } from '../../../kernel/fingerprint/key-text.ts'
import { quoteIdentifier, quoteTable } from '../../../kernel/sql-text.ts'
import type { BucketPick, FoundRow, Look, LookedRow, SourceLookRequest } from '../../look.ts'
import { type Db, named, untilFree } from '../connection.ts'
import { readTableFacts, type TableFacts } from '../describe/columns.ts'
import { keysPredicate, lanePredicates, type OrderedColumn, rangePredicate } from '../predicates.ts'
import type { Value } from '../read/encode.ts'
import { orderedColumn } from '../read/ordered-column.ts'
import { createRowTexts } from './row-texts.ts'
import { sortRows } from './sorted-rows.ts'

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
  const scan = (condition: string) =>
    valuesOf(`SELECT ${columns.join(', ')} FROM ${table} WHERE ${condition}`)

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
      for await (const batch of scan(where(scope))) {
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
      const sorted = sortRows()
      try {
        for await (const batch of scan(where(scope))) {
          const looked = batch.map((values) => texts.looked(values, word))
          sorted.add(pick ? looked.filter((row) => isPicked(row, pick)) : looked)
        }
        for (const batch of sorted.batches(BATCH_ROWS)) {
          yield batch
          await nextTurn()
        }
      } finally {
        sorted.close()
      }
    },
    async find(keyTexts, word) {
      const found: FoundRow[] = []
      const wanted = new Set(keyTexts)
      for (const condition of keysConditions(request, keyTexts)) {
        for await (const batch of scan(condition)) {
          const rows = batch.map((values) => texts.found(values, word))
          found.push(...rows.filter(({ keyText }) => wanted.has(keyText)))
        }
      }
      return found
    },
    async leaveOut(keyTexts) {
      assert(keyTexts.length === 0, 'nothing is written at the source: rows are left out at the destination')
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

const isPicked = ({ keyDigest }: LookedRow, { buckets, digits }: BucketPick): boolean =>
  buckets.has(keyDigest.slice(0, digits))

/**
 * By the key's index where every key can be written as literals. All rows where one cannot, or where any class of value is
 * taken as text, or without a key: the texts then decide.
 */
function keysConditions({ shape, plan, asText }: SourceLookRequest, keyTexts: readonly string[]): string[] {
  if (keyTexts.length === 0) return []
  const columns = plan.columns.slice(0, plan.keyCount)
  const types = columns.map(({ canonical }) => canonical)
  const keys = keyTexts.map((text) => decodeKeyText(types, text))
  const isKeyed = plan.keyCount < plan.columns.length && !columns.some(({ name }) => asText.includes(name))
  if (!isKeyed || !keys.every((key) => key !== undefined)) return ['true']
  const key = columns.map(({ name }) => shape.columns.find((each) => each.name === name)!)
  const pages = Array.from({ length: Math.ceil(keys.length / KEYS_A_STATEMENT) }, (_, i) =>
    keys.slice(i * KEYS_A_STATEMENT, (i + 1) * KEYS_A_STATEMENT),
  )
  return pages.map((page) => keysPredicate(key, page))
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
