/**
 * Rows of CSV as the wire must carry them (WireFormat): null for an unquoted empty field. Throws for anything that is
 * not exactly that: a quote inside a bare field, a line that does not end, lines of different lengths.
 */
export function parseWire(text: string): (string | null)[][] {
  const rows: (string | null)[][] = []
  let row: (string | null)[] = []
  let at = 0
  while (at < text.length) {
    const quoted = text[at] === '"'
    FIELD.lastIndex = at
    const match = FIELD.exec(text)
    if (!match) throw new Error(`not CSV at ${at}: ${JSON.stringify(text.slice(at, at + 40))}`)
    const [whole, inQuotes, bare, end] = match
    row.push(quoted ? inQuotes!.replaceAll('""', '"') : bare === '' ? null : bare!)
    at += whole.length
    if (end === ',') continue
    if (rows.length > 0 && rows[0]!.length !== row.length) throw new Error(`a line with ${row.length} fields`)
    rows.push(row)
    row = []
  }
  if (row.length > 0) throw new Error('the last line does not end')
  return rows
}

const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\n)/y
