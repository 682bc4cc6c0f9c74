/** A table as a person names it: the schema may be left out. */
export interface TableName {
  readonly schema: string | undefined
  readonly name: string
}

const PART = /^(?:"((?:[^"]|"")+)"|([^".\s]+))(?:\.|$)/

/** `orders`, `public.orders`, `"Odd.Schema"."Odd ""name"""`; undefined when it is none of these. */
export function parseTableName(text: string): TableName | undefined {
  const parts: string[] = []
  let rest = text.trim()
  if (rest.endsWith('.')) return undefined
  while (rest !== '') {
    const match = PART.exec(rest)
    if (!match) return undefined
    parts.push(match[1] === undefined ? match[2]! : match[1].replaceAll('""', '"'))
    rest = rest.slice(match[0].length)
  }
  if (parts.length === 1) return { schema: undefined, name: parts[0]! }
  return parts.length === 2 ? { schema: parts[0]!, name: parts[1]! } : undefined
}

/** `schema.name`, quoted where it has to be, so that parseTableName reads it back. */
export function formatTableName(table: {
  readonly schema: string | undefined
  readonly name: string
}): string {
  const quoted = (part: string): string =>
    /^[^".\s]+$/.test(part) ? part : `"${part.replaceAll('"', '""')}"`
  return table.schema === undefined ? quoted(table.name) : `${quoted(table.schema)}.${quoted(table.name)}`
}
