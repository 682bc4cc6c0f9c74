import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { canonicalText } from '../../src/kernel/fingerprint/canonical-text.ts'
import type { ComparisonPlan, LookScope, WordKind } from '../../src/kernel/fingerprint/comparison.ts'
import { type Digest, wordOf } from '../../src/kernel/fingerprint/words.ts'
import type { BucketPick, Look, LookedRow } from '../../src/sources/look.ts'

const digestOf =
  (plan: ComparisonPlan): Digest =>
  (data) =>
    createHash(plan.digest).update(data).digest('hex')

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
