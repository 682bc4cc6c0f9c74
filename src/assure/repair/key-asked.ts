import type { CanonicalType } from '../../kernel/fingerprint/comparison.ts'
import { encodeKeyText } from '../../kernel/fingerprint/key-text.ts'
import type { CheckSession } from '../check-session.ts'

/** Stands for the hash of a value above 4,096 bytes: such a key cannot be named. */
const TOO_LONG = '\u0000too long'

/** What a value of a type may look like; types that are not named take any text. */
const FORMS: Partial<Record<CanonicalType['name'], RegExp>> = {
  integer: /^[+-]?\d+$/,
  numeric: /^(-?\d+(\.\d+)?|NaN|-?Infinity)$/,
  decimal: /^(-?\d+(\.\d+)?|NaN)$/,
  boolean: /^(t|f|true|false|0|1)$/i,
  bytes: /^\\x([0-9a-f]{2})*$/i,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  bit: /^[01]+$/,
  float4: /^(-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|NaN|-?Infinity)$/i,
  float8: /^(-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|NaN|-?Infinity)$/i,
}

/** The key text of a key that a person typed; undefined where it is none of the table's. */
export function keyTextAsked(
  { plan, shape }: CheckSession,
  key: readonly (string | null)[],
): string | undefined {
  const columns = plan.columns.slice(0, plan.keyCount)
  if (key.length !== columns.length) return undefined
  const fits = columns.every(({ name, canonical }, i) => {
    const value = key[i]!
    if (value === null) return shape.columns.find((column) => column.name === name)?.nullable === true
    if (FORMS[canonical.name]?.test(value) === false) return false
    // Instants, days and times as they are printed; what stands outside the number line begins with z.
    const text = encodeKeyText([canonical], [value], () => TOO_LONG)
    return !text.includes(TOO_LONG) && (!text.startsWith('z') || /^z-?infinity$/.test(text))
  })
  return fits
    ? encodeKeyText(
        columns.map(({ canonical }) => canonical),
        key,
        () => TOO_LONG,
      )
    : undefined
}
