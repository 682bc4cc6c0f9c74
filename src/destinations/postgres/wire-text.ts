const NEWLINE = 0x0a

const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

/** The fields of one line of PostgreSQL's COPY text: between tabs, `\N` is NULL. */
export function parseTextLine(line: Buffer): (string | null)[] {
  return line
    .toString('utf8')
    .split('\t')
    .map((field) => (field === '\\N' ? null : field.replaceAll(/\\(.)/g, (_, char) => ESCAPED[char] ?? char)))
}

/** Where the line begins that ends before `end`, or -1 when its beginning is not here. */
export function textLineStart(bytes: Buffer, end: number): number {
  return bytes.subarray(0, end).lastIndexOf(NEWLINE) + 1 || -1
}
