/**
 * One field of CSV as PostgreSQL writes it: text that holds a comma, quote or line break is quoted, and so are the
 * empty text and `\.`, which would otherwise read as NULL and as the end of the data. NULL is the empty field.
 */
export function csvField(text: string): string {
  if (text === '' || text === '\\.') return `"${text}"`
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const NEEDS_QUOTES = /[",\n\r]/

/** Bytes as `\x` and hexadecimal digits. */
export function hexBytes(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`
}
