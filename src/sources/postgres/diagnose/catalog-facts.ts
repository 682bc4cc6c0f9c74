import type { CascadeFigures, DeleteFigures } from '../../diagnosis.ts'
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
