import type { CascadeFigures, DeleteFigures, FilterFigures, TableRights } from '../../diagnosis.ts'
import type { Subject } from './subject.ts'

/** The table, or the partitions that hold its rows. */
const LEAVES = `SELECT relid FROM pg_partition_tree($1::oid) WHERE isleaf UNION SELECT $1::oid`

/** L10: deletes that the primary has counted; a TRUNCATE is none. */
export async function lookAtDeletes({ primary, request }: Subject): Promise<DeleteFigures | undefined> {
  if (request.shape.kind === 'view') return undefined
  const [row] = await primary.ask(
    `SELECT sum(n_tup_del) AS n, (SELECT to_char(stats_reset AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"')
       FROM pg_stat_database WHERE datname = current_database()) AS since
     FROM pg_stat_all_tables WHERE relid IN (${LEAVES})`,
    [request.shape.objectId],
  )
  return { count: Number(row!.n ?? '0'), since: row!.since ?? undefined, way: 'statistics' }
}

const CASCADES = `
SELECT k.conname AS name, format('%I.%I', n.nspname, c.relname) AS other, k.confrelid = $1::oid AS followed,
       (SELECT json_agg(a.attname) FROM unnest(CASE WHEN k.confrelid = $1::oid THEN k.confkey ELSE k.conkey END) num
        JOIN pg_attribute a ON a.attrelid = $1::oid AND a.attnum = num)::text AS columns
FROM pg_constraint k JOIN pg_class c ON c.oid = CASE WHEN k.confrelid = $1::oid THEN k.conrelid ELSE k.confrelid END
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE (k.confrelid = $1::oid OR k.conrelid = $1::oid) AND k.contype = 'f' AND k.confupdtype = 'c' AND k.conparentid = 0
ORDER BY 2, 1`

/** L12: foreign keys that carry a change of this table's key on, or bring one. */
export async function lookAtCascades({ primary, request }: Subject): Promise<readonly CascadeFigures[]> {
  const rows = await primary.ask(CASCADES, [request.shape.objectId])
  const touchesKey = (columns: string | null | undefined): boolean =>
    (JSON.parse(columns ?? '[]') as string[]).some((name) => request.key.includes(name))
  return rows
    .filter((row) => touchesKey(row.columns))
    .map((row) => ({
      constraint: row.name ?? '',
      other: row.other ?? '',
      direction: row.followed === 't' ? 'followed_by' : 'follows',
    }))
}

/** L14: whether this role sees the table as a whole. */
export async function lookAtFilter({ rows, request }: Subject): Promise<FilterFigures> {
  const [row] = await rows.ask(
    `SELECT c.relkind AS kind, row_security_active(c.oid) AS filtered,
       (SELECT json_agg(p.polname ORDER BY p.polname) FROM pg_policy p WHERE p.polrelid = c.oid AND p.polcmd IN ('r', '*'))::text AS policies
     FROM pg_class c WHERE c.oid = $1::oid`,
    [request.shape.objectId],
  )
  const policies = JSON.parse(row?.policies ?? '[]') as string[]
  if (row?.kind === 'v') return { how: 'view', policies: [] }
  if (row?.kind === 'm') return { how: 'materialized_view', policies: [] }
  return row?.filtered === 't' ? { how: 'policy', policies } : { how: 'whole', policies: [] }
}

/** A44: whether this role may read every column, and what would let it. */
export async function lookAtRights({ rows, request }: Subject): Promise<TableRights> {
  const [row] = await rows.ask(
    `SELECT has_schema_privilege(n.oid, 'USAGE') AS schema,
       (SELECT bool_and(has_column_privilege(c.oid, a.attnum, 'SELECT')) FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
       format('GRANT USAGE ON SCHEMA %I TO %I;', n.nspname, current_user) AS grant_schema,
       format('GRANT SELECT ON TABLE %I.%I TO %I;', n.nspname, c.relname, current_user) AS grant_table
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = $1::oid`,
    [request.shape.objectId],
  )
  const grants = [
    ...(row?.schema === 't' ? [] : [row?.grant_schema ?? '']),
    ...(row?.columns === 't' ? [] : [row?.grant_table ?? '']),
  ]
  return { mayRead: grants.length === 0, grants }
}
