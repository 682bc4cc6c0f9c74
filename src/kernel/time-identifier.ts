import { floorDiv } from './arithmetic.ts'
import { assert } from './assert.ts'
import type { TextEncoding } from './order.ts'

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const MAX_MS = (1n << 48n) - 1n

const clampMs = (us: bigint): bigint => {
  const ms = floorDiv(us, 1000n)
  assert(ms >= 0n && ms <= MAX_MS, `a time identifier cannot hold ${us} µs`)
  return ms
}

/** The least ULID of the millisecond that holds `us` (spec E8). */
export function ulidFloor(us: bigint): string {
  let ms = clampMs(us)
  let text = ''
  for (let i = 0; i < 10; i++) {
    text = CROCKFORD[Number(ms % 32n)] + text
    ms /= 32n
  }
  return `${text}${'0'.repeat(16)}`
}

/** The least UUID version 7 of the millisecond that holds `us`, lower case. */
export function uuidv7Floor(us: bigint): string {
  const hex = clampMs(us).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** The first µs of the millisecond in a ULID or UUID version 7; undefined when the text is neither. */
export function momentFromIdentifier(encoding: TextEncoding | undefined, text: string): bigint | undefined {
  if (encoding === 'uuidv7') {
    const hex = /^([0-9a-f]{8})-([0-9a-f]{4})-7/i.exec(text)
    return hex ? BigInt(`0x${hex[1]}${hex[2]}`) * 1000n : undefined
  }
  if (!/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text)) return undefined
  let ms = 0n
  for (const letter of text.slice(0, 10)) ms = ms * 32n + BigInt(CROCKFORD.indexOf(letter))
  return ms * 1000n
}
