import { createHash } from 'node:crypto'
import { canonicalText } from '../kernel/fingerprint/canonical-text.ts'
import type { ComparisonPlan, WordKind } from '../kernel/fingerprint/comparison.ts'
import { makeComparisonPlan } from '../kernel/fingerprint/make-plan.ts'
import { wordOf } from '../kernel/fingerprint/words.ts'
import type { FoundRow, Look } from '../sources/look.ts'
import type { ColumnShape } from '../sources/source.ts'
import type { TestRow } from './destination-rows.ts'
import type { TestStream } from './destination-stream.ts'

export const lookLimits = { queryMaxMs: 60_000, lockTimeoutMs: 5_000 }

/** The plan of a comparison of a suite's table. */
export async function planOf(
  { table, destination }: TestStream,
  digest: ComparisonPlan['digest'] = 'md5',
): Promise<ComparisonPlan> {
  const { engine } = await destination.identity()
  return makeComparisonPlan({
    shape: table,
    key: table.key,
    order: table.order,
    asText: table.asText,
    destinationEngine: engine,
    digestHex: (text) => createHash('sha256').update(text).digest('hex'),
    digest,
  })
}

/** The row of a look that the program computes from a row's wire texts. */
export function expectedRow(
  plan: ComparisonPlan,
  columns: readonly ColumnShape[],
  row: TestRow,
  word: WordKind,
): FoundRow {
  const digest = (data: string | Uint8Array) => createHash(plan.digest).update(data).digest('hex')
  const texts = plan.columns.map(({ name, canonical }) =>
    canonicalText(canonical, row[columns.findIndex((column) => column.name === name)]!, digest),
  )
  const keyText = texts.slice(0, plan.keyCount).join(';')
  const position = texts[plan.columns.findIndex(({ name }) => name === plan.position)]!
  const content = word === 'row' ? texts.join(';') : `${keyText};${position}`
  return { keyText, keyDigest: digest(keyText), position, word: wordOf(digest(content)), texts }
}

/** Opens a look of what stands now, and always closes it. */
export async function withLook(
  { destination, table }: TestStream,
  plan: ComparisonPlan,
  work: (look: Look) => Promise<void>,
): Promise<void> {
  const { look } = await destination.openLook({ table, plan, ...lookLimits })
  try {
    await work(look)
  } finally {
    await look.close()
  }
}
