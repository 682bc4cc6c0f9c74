import type { Digest } from './words.ts'

/** Longer values are told by length and hash, so that no row text grows with the data (spec F15). */
export const FREE_FORM_MAX_BYTES = 4_096

const encoder = new TextEncoder()

/** A text in free form (spec F10): its bytes are counted, not its letters (F16). */
export function freeText(text: string, digest: Digest): string {
  const byteSize = encoder.encode(text).length
  return byteSize > FREE_FORM_MAX_BYTES ? `w${byteSize}:${digest(text)}` : `v${byteSize}:${text}`
}

/** Bytes in free form, from their lower hex digits. */
export function freeBytes(hex: string, digest: Digest): string {
  const byteSize = hex.length / 2
  return byteSize > FREE_FORM_MAX_BYTES ? `w${byteSize}:${digest(fromHex(hex))}` : `v${byteSize}:${hex}`
}

function fromHex(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2)
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16)
  return bytes
}
