/** An identifier as SQL text, the same in PostgreSQL, SQLite and DuckDB: double quotes, doubled inside. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** `"schema"."name"`. */
export function quoteTable(table: { readonly schema: string; readonly name: string }): string {
  return `${quoteIdentifier(table.schema)}.${quoteIdentifier(table.name)}`
}

/** A text literal, for standard-conforming strings: single quotes, doubled inside. */
export function quoteLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
