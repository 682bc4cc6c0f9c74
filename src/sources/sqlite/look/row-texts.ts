import { hash } from 'node:crypto'
import { canonicalText } from '../../../kernel/fingerprint/canonical-text.ts'
import type { CanonicalType, ComparisonPlan, WordKind } from '../../../kernel/fingerprint/comparison.ts'
import { type Digest, wordOf } from '../../../kernel/fingerprint/words.ts'
import type { LogicalType } from '../../../kernel/types.ts'
import type { FoundRow, LookedRow, SourceLookRequest } from '../../look.ts'
import { encoderOf, type Value } from '../read/encode.ts'

/** Canonical texts of a row's values, in the order of the plan's columns. */
export interface RowTexts {
  readonly digest: Digest
  keyText(values: readonly Value[]): string
  looked(values: readonly Value[], word: WordKind): LookedRow
  found(values: readonly Value[], word: WordKind): FoundRow
}

export function createRowTexts({ shape, plan, asText }: SourceLookRequest): RowTexts {
  const digest = digestOf(plan)
  const columns = plan.columns.map(({ name, canonical }) => {
    const { type } = shape.columns.find((each) => each.name === name)!
    return textOf(type, canonical, asText.includes(name), digest)
  })
  const place = plan.columns.findIndex(({ name }) => name === plan.position)
  const keyText = (values: readonly Value[]): string => {
    let text = columns[0]!(values[0]!)
    for (let i = 1; i < plan.keyCount; i++) text += `;${columns[i]!(values[i]!)}`
    return text
  }
  const looked = (values: readonly Value[], word: WordKind): LookedRow => {
    const key = keyText(values)
    const position = columns[place]!(values[place]!)
    let content = key
    if (word === 'position') content += `;${position}`
    else for (let i = plan.keyCount; i < columns.length; i++) content += `;${columns[i]!(values[i]!)}`
    return { keyText: key, keyDigest: digest(key), position, word: wordOf(digest(content)) }
  }
  return {
    digest,
    keyText,
    looked,
    found: (values, word) => ({ ...looked(values, word), texts: columns.map((text, i) => text(values[i]!)) }),
  }
}

function digestOf({ digest }: ComparisonPlan): Digest {
  return (data) => hash(digest, data)
}

/** A value of another class than the column's equals nothing at the destination (spec F18). */
function textOf(type: LogicalType, canonical: CanonicalType, asText: boolean, digest: Digest) {
  const encode = encoderOf(type, asText)
  return (value: Value): string => {
    if (value === null) return 'N'
    const wire = encode(value)
    return wire === undefined ? oddText(value) : canonicalText(canonical, wire, digest)
  }
}

function oddText(value: Exclude<Value, null>): string {
  const name =
    typeof value === 'bigint'
      ? 'integer'
      : typeof value === 'number'
        ? 'real'
        : Buffer.isBuffer(value)
          ? 'blob'
          : 'text'
  const bytes = Buffer.isBuffer(value)
    ? value
    : Buffer.from(typeof value === 'number' ? real(value) : String(value))
  return `z${name}:${bytes.toString('hex')}`
}

/** SQLite shows by a point that a number is no integer. */
function real(value: number): string {
  const [mantissa = '', exponent] = String(value).split('e')
  const pointed = mantissa.includes('.') || !Number.isFinite(value) ? mantissa : `${mantissa}.0`
  return exponent === undefined ? pointed : `${pointed}e${exponent}`
}
