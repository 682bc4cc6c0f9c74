const QUOTE = 0x22
const NEWLINE = 0x0a
const RETURN = 0x0d

/** The fields of one CSV record as the wire writes it: an unquoted empty field is NULL. */
export function parseRecord(record: Buffer): (string | null)[] {
  const text = record.toString('utf8')
  const fields: (string | null)[] = []
  let at = 0
  for (;;) {
    const [field, end] = text[at] === '"' ? quotedField(text, at + 1) : plainField(text, at)
    fields.push(field)
    if (end >= text.length) return fields
    at = end + 1
  }
}

function plainField(text: string, start: number): [string | null, number] {
  const comma = text.indexOf(',', start)
  const end = comma < 0 ? text.length : comma
  return [end === start ? null : text.slice(start, end), end]
}

function quotedField(text: string, start: number): [string, number] {
  let end = start
  for (;;) {
    const quote = text.indexOf('"', end)
    if (quote < 0) return [text.slice(start), text.length]
    if (text[quote + 1] !== '"') return [text.slice(start, quote).replaceAll('""', '"'), quote + 1]
    end = quote + 2
  }
}

/** Where the record begins that ends before `end`: after the nearest newline outside quotes, or -1 when unknown. */
export function recordStart(bytes: Buffer, end: number): number {
  let isOutside = true
  for (let i = end - 1; i >= 0; i--) {
    if (bytes[i] === QUOTE) isOutside = !isOutside
    else if (bytes[i] === NEWLINE && isOutside) return i + 1
  }
  return -1
}

/**
 * How many lines more than PostgreSQL's COPY a count of `\n` gives. Before COPY has met the first end of a record it
 * does not know what ends a line: it counts `\r` inside quotes, and not `\n`. `add` wants all bytes in order.
 */
export function createLineShift(): { add(chunk: Buffer): void; readonly value: () => number } {
  let [isDone, isQuoted, shift] = [false, false, 0]
  const add = (chunk: Buffer) => {
    for (let i = 0; i < chunk.length && !isDone; i++) {
      const byte = chunk[i]
      if (byte === QUOTE) isQuoted = !isQuoted
      else if (byte === NEWLINE && !isQuoted) isDone = true
      else if (byte === NEWLINE) shift++
      else if (byte === RETURN && isQuoted) shift--
    }
  }
  return { add, value: () => shift }
}
