import type { FilterFigures, TableAccess, TableRights } from '../../diagnosis.ts'
import type { TableRef } from '../../source.ts'
import type { Row } from '../connect/connection.ts'
import type { Bench } from './bench.ts'

/** `$1` schema, `$2` name. */
const ACCESS = `
SELECT c.relkind AS kind, row_security_active(c.oid) AS filtered,
  (SELECT json_agg(p.polname ORDER BY p.polname) FROM pg_policy p WHERE p.polrelid = c.oid AND p.polcmd IN ('r', '*'))::text AS policies,
  has_schema_privilege(n.oid, 'USAGE') AS schema_usable,
  (SELECT bool_and(has_column_privilege(c.oid, a.attnum, 'SELECT')) FROM pg_attribute a
   WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS readable,
  format('GRANT USAGE ON SCHEMA %I TO %I;', n.nspname, current_user) AS grant_schema,
  format('GRANT SELECT ON TABLE %I.%I TO %I;', n.nspname, c.relname, current_user) AS grant_table
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')`

/** L14 and A44: whether this role may read the table, and sees it as a whole. A table that is not there hides nothing. */
export async function lookAtAccess({ ask }: Bench, { schema, name }: TableRef): Promise<TableAccess> {
  const [row] = await ask(ACCESS, [schema, name])
  if (!row) return { filter: { how: 'whole', policies: [] }, rights: { mayRead: true, grants: [] } }
  return { filter: filterOf(row), rights: rightsOf(row) }
}

function filterOf({ kind, filtered, policies }: Row): FilterFigures {
  if (kind === 'v') return { how: 'view', policies: [] }
  if (kind === 'm') return { how: 'materialized_view', policies: [] }
  return filtered === 't'
    ? { how: 'policy', policies: JSON.parse(policies ?? '[]') }
    : { how: 'whole', policies: [] }
}

function rightsOf({ schema_usable, readable, grant_schema, grant_table }: Row): TableRights {
  const grants = [
    ...(schema_usable === 't' ? [] : [grant_schema ?? '']),
    ...(readable === 't' ? [] : [grant_table ?? '']),
  ]
  return { mayRead: grants.length === 0, grants }
}
