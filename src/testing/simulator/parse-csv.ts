/** Rows of CSV as PostgreSQL writes it: an unquoted empty field is NULL, a quoted one is empty text. */
export function parseCsv(text: string): (string | null)[][] {
  const rows: (string | null)[][] = []
  let row: (string | null)[] = []
  let at = 0
  while (at < text.length) {
    const field = text[at] === '"' ? quotedField(text, at) : plainField(text, at)
    row.push(field.value)
    at = field.end + 1
    if (text[field.end] === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}

interface Field {
  readonly value: string | null
  /** Where the comma or the line's end stands. */
  readonly end: number
}

function plainField(text: string, start: number): Field {
  let end = start
  while (end < text.length && text[end] !== ',' && text[end] !== '\n') end++
  return { value: end === start ? null : text.slice(start, end), end }
}

function quotedField(text: string, start: number): Field {
  let close = text.indexOf('"', start + 1)
  while (text[close + 1] === '"') close = text.indexOf('"', close + 2)
  return { value: text.slice(start + 1, close).replaceAll('""', '"'), end: close + 1 }
}
