/** Queries on the server's catalog that describe one table. `$1` is its oid; names are resolved by `FIND_TABLE` alone. */

/** `$1` schema, `$2` name. */
export const FIND_TABLE = `
SELECT c.oid, c.relkind AS kind, c.relpersistence AS persistence, c.reltuples::bigint AS tuples,
       pg_relation_size(c.oid) AS size,
       EXISTS (SELECT FROM pg_inherits i WHERE i.inhparent = c.oid) AS has_children
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')`

/**
 * One row a column in order; a domain is replaced by what it is made from. From PostgreSQL 18 on a column may be
 * declared NOT NULL and hold NULLs still, while the constraint is not validated.
 */
export const COLUMNS = `
WITH RECURSIVE base(attnum, typid, typmod) AS (
  SELECT attnum, atttypid, atttypmod FROM pg_attribute WHERE attrelid = $1 AND attnum > 0 AND NOT attisdropped
  UNION ALL
  SELECT base.attnum, t.typbasetype, t.typtypmod FROM base JOIN pg_type t ON t.oid = base.typid AND t.typtype = 'd'
), element(typid, elemid) AS (
  SELECT t.oid, t.typelem FROM pg_type t WHERE t.oid IN (SELECT typid FROM base) AND t.typcategory = 'A' AND t.typname NOT IN ('int2vector', 'oidvector')
  UNION ALL
  SELECT e.typid, t.typbasetype FROM element e JOIN pg_type t ON t.oid = e.elemid AND t.typtype = 'd'
)
SELECT a.attname AS name, a.attnum AS number, a.attnotnull AND NOT EXISTS (
         SELECT FROM pg_constraint k WHERE k.conrelid = a.attrelid AND k.contype = 'n'
            AND a.attnum = ANY (k.conkey) AND NOT k.convalidated) AS not_null, a.attidentity AS identity,
       format_type(b.typid, b.typmod) AS type, t.typname AS type_name, tn.nspname AS type_schema, t.typtype AS type_kind,
       b.typmod AS typmod, et.typname AS element_name, etn.nspname AS element_schema, et.typtype AS element_kind,
       co.collname AS collation, con.nspname AS collation_schema,
       (SELECT json_agg(n.enumlabel ORDER BY n.enumsortorder) FROM pg_enum n WHERE n.enumtypid = coalesce(et.oid, t.oid)) AS labels,
       pg_get_expr(d.adbin, d.adrelid) AS expression, a.attgenerated AS generated,
       pg_get_serial_sequence(quote_ident($2) || '.' || quote_ident($3), a.attname) AS sequence
FROM pg_attribute a
JOIN base b ON b.attnum = a.attnum
JOIN pg_type t ON t.oid = b.typid AND t.typtype <> 'd'
JOIN pg_namespace tn ON tn.oid = t.typnamespace
LEFT JOIN element e ON e.typid = t.oid AND NOT EXISTS (SELECT FROM pg_type x WHERE x.oid = e.elemid AND x.typtype = 'd')
LEFT JOIN pg_type et ON et.oid = e.elemid
LEFT JOIN pg_namespace etn ON etn.oid = et.typnamespace
LEFT JOIN pg_collation co ON co.oid = a.attcollation
LEFT JOIN pg_namespace con ON con.oid = co.collnamespace
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum`

/** One row an index whose columns are plain: `columns` are attribute numbers, key columns only. */
export const INDEXES = `
SELECT i.indisprimary AS is_primary, i.indisunique AS is_unique, i.indimmediate AS immediate, i.indisvalid AS valid,
       i.indpred IS NOT NULL AS is_partial, i.indexprs IS NOT NULL AS has_expressions, am.amname AS method,
       array_to_string((i.indkey::int2[])[0:i.indnkeyatts - 1], ' ') AS columns,
       i.indcollation[0] = 0 OR i.indcollation[0] = a.attcollation AS same_collation,
       co.opcdefault AS default_order
FROM pg_index i
JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am am ON am.oid = c.relam
LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
LEFT JOIN pg_opclass co ON co.oid = i.indclass[0]
WHERE i.indrelid = $1
ORDER BY i.indisprimary DESC, i.indnkeyatts, c.relname`

export const TRIGGERS = `
SELECT t.tgname AS name, p.prosrc AS source, p.proname AS function, t.tgenabled AS enabled,
       (t.tgtype::int & 2) <> 0 AS is_before, (t.tgtype::int & 16) <> 0 AS on_update,
       pg_get_triggerdef(t.oid) AS definition
FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
WHERE t.tgrelid = $1 AND NOT t.tgisinternal
ORDER BY t.tgname`

/** What the collation `default` means in this database. */
export const DATABASE_COLLATION = `
SELECT d.datcollate AS collation, pg_encoding_to_char(d.encoding) AS encoding,
       coalesce(to_jsonb(d) ->> 'datlocprovider', 'c') AS provider,
       coalesce(to_jsonb(d) ->> 'datlocale', to_jsonb(d) ->> 'daticulocale', d.datcollate) AS locale
FROM pg_database d WHERE d.datname = current_database()`

/** Rows of all leaves of a partitioned table, by their statistics; `unknown` where a leaf has none. */
export const PARTITION_ROWS = `
SELECT sum(greatest(c.reltuples, 0))::bigint AS tuples, bool_or(c.reltuples < 0) AS unknown,
       bool_or(c.relkind = 'f') AS has_foreign
FROM pg_partition_tree($1::oid) p JOIN pg_class c ON c.oid = p.relid WHERE p.isleaf`

/** Everything below `$1` that holds rows itself: partitions of any depth, and children that inherit. */
export const PARTITIONS = `
WITH RECURSIVE part(oid) AS (
  SELECT inhrelid FROM pg_inherits WHERE inhparent = $1::oid
  UNION SELECT i.inhrelid FROM part JOIN pg_inherits i ON i.inhparent = part.oid
)
SELECT c.oid, n.nspname AS schema, c.relname AS name
FROM part JOIN pg_class c ON c.oid = part.oid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind <> 'p' ORDER BY c.oid`
