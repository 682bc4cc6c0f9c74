import { createHash } from 'node:crypto'
import type { ComparisonPlan } from '../../../kernel/fingerprint/comparison.ts'
import { decodeKeyText } from '../../../kernel/fingerprint/key-text.ts'
import {
  type PostgresDialect,
  postgresDigest,
  type RowExpressions,
} from '../../../kernel/fingerprint/sql/postgres.ts'
import { quoteIdentifier, quoteLiteral } from '../../../kernel/sql-text.ts'
import type { TargetLookRequest } from '../../destination.ts'

/**
 * Rows of these keys under the alias `t`: by the key's index where every key can be written as literals of the columns'
 * own types, else by the digests of the key texts, which need no text that the database may not know.
 */
export function keysCondition(
  { table, plan }: Pick<TargetLookRequest, 'table' | 'plan'>,
  dialect: PostgresDialect,
  { keyText }: RowExpressions,
  keyTexts: readonly string[],
): string {
  if (keyTexts.length === 0) return 'false'
  const literals = table.key.length > 0 ? literalsOf(plan, dialect, keyTexts) : undefined
  if (literals) {
    const columns = plan.columns.slice(0, plan.keyCount).map(({ name }) => `t.${quoteIdentifier(name)}`)
    return `(${columns.join(', ')}) IN (${literals.join(', ')})`
  }
  const digests = keyTexts.map((text) => quoteLiteral(keyDigest(plan, text)))
  return `${postgresDigest(keyText, dialect)} IN (${digests.join(', ')})`
}

export function keyDigest({ digest }: ComparisonPlan, keyText: string): string {
  return createHash(digest).update(keyText).digest('hex')
}

function literalsOf(
  { columns, keyCount }: ComparisonPlan,
  { isUtf8, nativeTypes }: PostgresDialect,
  keyTexts: readonly string[],
): readonly string[] | undefined {
  const keyColumns = columns.slice(0, keyCount)
  const types = keyColumns.map(({ canonical }) => canonical)
  const nativeOf = keyColumns.map(({ name }) => nativeTypes.get(name) ?? '')
  // A column of text keeps the padding of char(n), which the key text has not.
  if (types.some(({ name }, i) => name === 'char' && !/^(character|bpchar)/.test(nativeOf[i]!)))
    return undefined
  const literals: string[] = []
  for (const text of keyTexts) {
    const key = isUtf8 || /^[\x20-\x7e]*$/.test(text) ? decodeKeyText(types, text) : undefined
    if (!key || key.includes(null)) return undefined
    literals.push(`(${key.map((value, i) => `${quoteLiteral(value!)}::${nativeOf[i]}`).join(', ')})`)
  }
  return literals
}
