/**
 * Orders two log positions of one server: numbers in hexadecimal separated by `/` or `,`, most significant first
 * (PostgreSQL's LSN, SQLite's schema version and sequences). Negative, zero, positive.
 */
export function compareLogTexts(a: string, b: string): number {
  const [x, y] = [parts(a), parts(b)]
  for (let i = 0; i < Math.max(x.length, y.length); i++) {
    const [left, right] = [x[i] ?? 0n, y[i] ?? 0n]
    if (left !== right) return left < right ? -1 : 1
  }
  return 0
}

const parts = (text: string): bigint[] => text.split(/[/,]/).map((part) => BigInt(`0x${part.trim() || '0'}`))
