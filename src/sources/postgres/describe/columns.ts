import { createHash } from 'node:crypto'
import { PlimsollError } from '../../../kernel/errors.ts'
import { quoteIdentifier } from '../../../kernel/sql-text.ts'
import type { ColumnShape, TableRef } from '../../source.ts'
import type { Connection, Row } from '../connect/connection.ts'
import { COLUMNS, FIND_TABLE } from './catalog-query.ts'
import { type CatalogType, isBuiltin, logicalType } from './logical-type.ts'

/** A table as it stands in the catalog, with what the other parts of a description need of it. */
export interface TableFacts {
  readonly objectId: string
  readonly relkind: string
  readonly persistence: string
  readonly hasChildren: boolean
  readonly tuples: number
  readonly byteSize: number
  readonly columns: readonly ColumnShape[]
  readonly catalogRows: readonly Row[]
  /** SHA-256 over ordered names, exact types, collations, nullability and identities (spec E67). */
  readonly schemaHash: string
}

/** Looks a table up, or undefined. Cheap: the reader repeats it under its lock (spec E50). */
export async function readTableFacts(
  connection: Pick<Connection, 'rows'>,
  table: TableRef,
): Promise<TableFacts | undefined> {
  const [found] = await connection.rows(FIND_TABLE, [table.schema, table.name])
  if (!found) return undefined
  const catalogRows = await connection.rows(COLUMNS, [found.oid ?? null, table.schema, table.name])
  if (catalogRows.length === 0) {
    throw new PlimsollError('TYPE_NOT_SUPPORTED', `${table.schema}.${table.name} has no columns`)
  }
  const columns = catalogRows.map(columnShape)
  return {
    objectId: found.oid!,
    relkind: found.kind!,
    persistence: found.persistence!,
    hasChildren: found.has_children === 't',
    tuples: Number(found.tuples),
    byteSize: Number(found.size),
    columns,
    catalogRows,
    schemaHash: hashSchema(columns),
  }
}

/** SHA-256 over ordered names, exact types, collations, nullability and identities (spec E67). */
export function hashSchema(columns: readonly ColumnShape[]): string {
  const facts = columns.map((column) => [
    column.name,
    column.nativeType,
    column.collation ?? '',
    column.nullable,
    column.identity ?? '',
  ])
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex')
}

function columnShape(row: Row): ColumnShape {
  const type: CatalogType = {
    schema: row.type_schema!,
    name: row.type_name!,
    kind: row.type_kind!,
    typmod: Number(row.typmod),
  }
  const element =
    row.element_name == null
      ? undefined
      : { schema: row.element_schema!, name: row.element_name, kind: row.element_kind!, typmod: -1 }
  return {
    name: row.name!,
    nativeType: qualified(row.type!, type.schema),
    builtin: isBuiltin(type, element),
    type: logicalType(type, element),
    nullable: row.not_null !== 't',
    ...(row.collation == null ? {} : { collation: row.collation }),
    identity: row.number!,
    ...(row.labels == null ? {} : { labels: JSON.parse(row.labels) as string[] }),
  }
}

/** The server leaves the schema out where it is in the search path; the name must not depend on that. */
function qualified(type: string, schema: string): string {
  if (schema === 'pg_catalog') return type
  const bare = type.replace(/^(?:"(?:[^"]|"")+"|[^".]+)\.(?=.)/, '')
  return `${quoteIdentifier(schema)}.${bare}`
}
