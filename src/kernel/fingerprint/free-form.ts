import type { Digest } from './words.ts'

/** Longer values are told by length and hash, so that no row text grows with the data (spec F15). */
export const FREE_FORM_MAX_BYTES = 4_096

/** A text in free form (spec F10): its bytes are counted, not its letters (F16). */
export function freeText(text: string, digest: Digest): string {
  const byteSize = utf8Size(text)
  return byteSize > FREE_FORM_MAX_BYTES ? `w${byteSize}:${digest(text)}` : `v${byteSize}:${text}`
}

/** Bytes in free form, from their lower hex digits. */
export function freeBytes(hex: string, digest: Digest): string {
  const byteSize = hex.length / 2
  return byteSize > FREE_FORM_MAX_BYTES ? `w${byteSize}:${digest(fromHex(hex))}` : `v${byteSize}:${hex}`
}

/** How many bytes a text has in UTF-8, without making them. */
export function utf8Size(text: string): number {
  let size = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    // Two units of a surrogate pair are four bytes; one alone is written as U+FFFD.
    if (unit >= 0xd800 && unit <= 0xdbff && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      size += 2
      i++
    } else size += unit < 0x800 ? 1 : 2
  }
  return size
}

function fromHex(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2)
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16)
  return bytes
}
