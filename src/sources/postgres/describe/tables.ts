import { PlimsollError } from '../../../kernel/errors.ts'
import { nearestNames } from '../../nearest-names.ts'
import type { TableRef, TableShape, TableSummary } from '../../source.ts'
import type { Row } from '../connect/connection.ts'

const TABLES = `
SELECT n.nspname AS schema, c.relname AS name, c.relkind AS kind, c.reltuples::bigint AS tuples,
       CASE WHEN c.relkind IN ('r', 'm') THEN pg_total_relation_size(c.oid) END AS size, p.tuples AS partition_tuples,
       p.size AS partition_size
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN LATERAL (
  SELECT sum(greatest(l.reltuples, 0))::bigint AS tuples, sum(pg_total_relation_size(l.oid)) AS size
  FROM pg_partition_tree(c.oid) t JOIN pg_class l ON l.oid = t.relid WHERE t.isleaf
) p ON c.relkind = 'p'
WHERE c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition AND c.relpersistence <> 't'
  AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)'
  AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
ORDER BY 1, 2`

type Ask = (sql: string) => Promise<Row[]>

/** The tables and views this role may read; partitions stand for nothing of their own. */
export async function listTables(ask: Ask): Promise<TableSummary[]> {
  const rows = await ask(TABLES)
  return rows.map((row) => ({
    table: { schema: row.schema!, name: row.name! },
    kind: tableKind(row.kind!),
    rowCountEstimate: estimate(row.kind === 'p' ? row.partition_tuples : row.tuples, row.kind!),
    byteSize: number(row.size ?? row.partition_size),
  }))
}

export function tableKind(relkind: string): TableShape['kind'] {
  return relkind === 'p' ? 'partitioned' : relkind === 'v' || relkind === 'm' ? 'view' : 'table'
}

/** A table that was never analysed says -1; a view says nothing. */
function estimate(tuples: string | null | undefined, relkind: string): number | undefined {
  const count = number(tuples)
  return relkind === 'v' || count === undefined || count < 0 ? undefined : count
}

const number = (text: string | null | undefined): number | undefined =>
  text == null ? undefined : Number(text)

const SHOWN = 8

/** The error for a name that is no table, with the names that look most like it. */
export function tableNotFound(table: TableRef, known: readonly TableSummary[], place: string): PlimsollError {
  const wanted = `${table.schema}.${table.name}`
  const names = known.map(({ table: each }) => `${each.schema}.${each.name}`)
  return new PlimsollError('TABLE_NOT_FOUND', `no table ${wanted} at ${place}`, {
    hint: hintFor(wanted, names),
  })
}

function hintFor(wanted: string, names: readonly string[]): string {
  const nearest = nearestNames(wanted, names)
  if (nearest.length > 0) return `Did you mean ${nearest.join(' or ')}?`
  if (names.length === 0) return 'This role can read no table of this database.'
  return `Tables here: ${names.slice(0, SHOWN).join(', ')}${names.length > SHOWN ? ', …' : ''}.`
}
