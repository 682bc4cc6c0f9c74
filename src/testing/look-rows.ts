import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { canonicalText } from '../kernel/fingerprint/canonical-text.ts'
import type { ComparisonPlan, LookScope, WordKind, WordSum } from '../kernel/fingerprint/comparison.ts'
import { makeComparisonPlan } from '../kernel/fingerprint/make-plan.ts'
import { addWord, type Digest, EMPTY_SUM, wordOf } from '../kernel/fingerprint/words.ts'
import type { PositionOrder } from '../kernel/order.ts'
import type { BucketPick, Look, LookedRow } from '../sources/look.ts'
import type { ColumnShape } from '../sources/source.ts'

export const ALL = { rows: 'all' } as const
export const ORDERED = { rows: 'ordered' } as const
export const UNORDERED = { rows: 'unordered' } as const
export const WORDS = ['position', 'row'] as const

const digestOf =
  (plan: ComparisonPlan): Digest =>
  (data) =>
    createHash(plan.digest).update(data).digest('hex')

export interface PlanParts {
  readonly columns: readonly ColumnShape[]
  readonly key: readonly string[]
  readonly order: PositionOrder
  readonly asText?: readonly string[]
  readonly destinationEngine?: string
  readonly digest?: ComparisonPlan['digest']
}

/** The plan that the program would make of a table. */
export function planOf({
  columns,
  key,
  order,
  asText = [],
  destinationEngine,
  digest,
}: PlanParts): ComparisonPlan {
  return makeComparisonPlan({
    shape: { columns },
    key,
    order,
    asText,
    destinationEngine: destinationEngine ?? 'duckdb',
    digestHex: (text) => createHash('sha256').update(text).digest('hex'),
    ...(digest ? { digest } : {}),
  })
}

/** What the program itself makes of a row's wire texts, which stand in the order of the plan's columns (spec F21). */
export function clientRow(
  plan: ComparisonPlan,
  wire: readonly (string | null)[],
  word: WordKind,
): LookedRow & { readonly texts: readonly string[] } {
  const digest = digestOf(plan)
  const texts = plan.columns.map(({ canonical }, i) => canonicalText(canonical, wire[i] ?? null, digest))
  const keyText = texts.slice(0, plan.keyCount).join(';')
  const position = texts[plan.columns.findIndex(({ name }) => name === plan.position)]!
  const content = word === 'row' ? texts.join(';') : `${keyText};${position}`
  return { keyText, keyDigest: digest(keyText), position, word: wordOf(digest(content)), texts }
}

/** All rows of a scope; they must come in the order of digest and key, in batches of at least one. */
export async function rowsOf(
  look: Look,
  scope: LookScope,
  word: WordKind,
  pick?: BucketPick,
): Promise<LookedRow[]> {
  const rows: LookedRow[] = []
  for await (const batch of look.rows(scope, word, pick)) {
    expect(batch.length).toBeGreaterThan(0)
    rows.push(...batch)
  }
  const places = rows.map(({ keyDigest, keyText }) => `${keyDigest} ${keyText}`)
  expect(places).toEqual([...places].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)))
  return rows
}

export const keysOf = (rows: readonly LookedRow[]): string[] => rows.map(({ keyText }) => keyText).sort()

/** Sums by bucket of these rows, in a comparable form. */
export function sumsOf(rows: readonly LookedRow[], digits: number): Record<string, WordSum> {
  const sums: Record<string, WordSum> = {}
  for (const { keyDigest, word } of rows) {
    const bucket = keyDigest.slice(0, digits)
    sums[bucket] = addWord(sums[bucket] ?? EMPTY_SUM, word)
  }
  return sums
}

/** The sums of a look are those of its rows, whatever the buckets; returns the rows (spec F3, F28). */
export async function expectSums(look: Look, scope: LookScope, word: WordKind): Promise<LookedRow[]> {
  const rows = await rowsOf(look, scope, word)
  for (const digits of [1, 3, 5]) {
    expect(Object.fromEntries(await look.sums(scope, word, digits))).toEqual(sumsOf(rows, digits))
  }
  return rows
}
