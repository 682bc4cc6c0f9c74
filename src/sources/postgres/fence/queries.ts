/**
 * The statements of the fences. Moments travel as whole µs since 1970, computed by the server; before PostgreSQL 14
 * `extract` returns a double, which is exact to the µs after rounding for every moment near the present.
 */
const us = (expression: string): string => `(extract(epoch FROM ${expression}) * 1000000)::bigint`

const THIS_DATABASE = '(SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())'

/**
 * Whom nobody need wait for: our own readers ($1, pids), and sessions of roles that can write nothing ($2, role oids;
 * spec E34). Either only as long as it has no transaction id: then it has written nothing either, whatever its role
 * could do before, and a process id that was given to somebody else is not mistaken for ours.
 */
const LEFT_OUT = `(a.backend_xid IS NULL AND (a.pid = ANY ($1::int[]) OR a.usesysid = ANY ($2::oid[])))`

/** Whether this is a standby, and the clock. Always the first statement of a look (spec E9). */
export const CLOCK = `
SELECT pg_is_in_recovery() AS standby, ${us('clock_timestamp()')} AS t0`

/** May this role see what the sessions of others do? True for superusers too. */
export const RIGHTS = `
SELECT current_user AS role, pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') AS sees_all`

/**
 * Roles with sessions in this database that can write nothing outside the system schemas (spec E34), those known to be
 * able ($1, role oids) not asked again. Asked before the lists: a right granted later makes no difference to them.
 */
export const HARMLESS_ROLES = `
SELECT r.oid AS role, NOT EXISTS (
  SELECT FROM pg_catalog.pg_roles m WHERE pg_has_role(r.oid, m.oid, 'MEMBER') AND (
    m.rolsuper
    OR EXISTS (
      SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'v', 'f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
        AND (c.relowner = m.oid OR has_table_privilege(m.oid, c.oid, 'INSERT, UPDATE, DELETE')
             OR has_any_column_privilege(m.oid, c.oid, 'INSERT, UPDATE')))
    OR EXISTS (
      SELECT FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
      WHERE p.prosecdef AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
        AND has_function_privilege(m.oid, p.oid, 'EXECUTE')))) AS harmless
FROM pg_catalog.pg_roles r
WHERE r.oid <> ALL ($1::oid[])
  AND r.oid IN (SELECT usesysid FROM pg_catalog.pg_stat_activity WHERE datid = ${THIS_DATABASE})`

/**
 * P1 (spec E24): the sessions that may have a transaction open, with their starts; and those that hide it. A walsender
 * that streams has been "active" since it began and writes nothing; one that runs SQL counts.
 */
export const SESSIONS = `
SELECT a.pid, a.usename AS "user", a.application_name AS application, host(a.client_addr) AS client,
       a.state, a.backend_type IS NULL AS hidden, a.state IS NOT DISTINCT FROM 'disabled' AS untracked,
       ${us('a.backend_start')} AS backend_start, ${us('coalesce(a.xact_start, a.query_start)')} AS started,
       ${us('a.query_start')} AS query_start
FROM pg_catalog.pg_stat_activity a
WHERE a.pid <> pg_backend_pid() AND a.datid = ${THIS_DATABASE} AND ${LEFT_OUT} IS NOT TRUE
  AND a.state IS DISTINCT FROM 'idle' AND a.backend_type IS DISTINCT FROM 'autovacuum worker'
  AND (a.backend_type = 'walsender' AND a.query ~* '^\\s*START_REPLICATION') IS NOT TRUE`

/** P2, N1 (spec E27): the lock that each transaction holds on itself, which everybody may see. */
export const LOCKS = `
SELECT l.virtualtransaction AS virtual_id, l.pid, a.usename AS "user", a.application_name AS application,
       host(a.client_addr) AS client, a.state, ${us('a.query_start')} AS query_start
FROM pg_catalog.pg_locks l LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'virtualxid' AND l.mode = 'ExclusiveLock' AND l.granted AND l.pid <> pg_backend_pid()
  AND (a.pid IS NULL OR (a.datname = current_database() AND a.usesysid IS NOT NULL AND ${LEFT_OUT} IS NOT TRUE))`

/** Always after the lists of sessions or locks: PREPARE takes a transaction from there to here (spec E26, E27). */
export const PREPARED = `
SELECT transaction AS xid, gid, owner, ${us('prepared')} AS prepared FROM pg_catalog.pg_prepared_xacts WHERE database = current_database()`

/** After all lists: what they no longer show has its commit record before this position (spec E29). */
export const LOG_POSITION = `
SELECT pg_current_wal_insert_lsn() AS lsn, substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) AS timeline,
       current_database() AS database`

/** P3 (spec E28): the snapshot as a whole, so that its parts belong together. */
export const RUNNING_XIDS = `
SELECT pg_snapshot_xmin(s) AS xmin, pg_snapshot_xmax(s) AS xmax,
       array_to_string(ARRAY(SELECT x FROM pg_snapshot_xip(s) x), ',') AS running,
       array_to_string(ARRAY(SELECT l.transactionid::text FROM pg_catalog.pg_locks l
         WHERE l.locktype = 'transactionid' AND l.mode = 'ExclusiveLock' AND l.granted), ',') AS held
FROM pg_current_snapshot() s`

/** Who holds the transaction ids, for a person to read; the low 32 bits tell them apart. */
export const XID_HOLDERS = `
SELECT l.transactionid AS xid, a.pid, a.usename AS "user", a.application_name AS application,
       host(a.client_addr) AS client, a.state, ${us('a.xact_start')} AS started, ${us('a.query_start')} AS query_start
FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'transactionid' AND l.mode = 'ExclusiveLock' AND l.granted`

/** A table ($1, oid) and everything below it: partitions, inheriting tables. */
const FAMILY = `
WITH RECURSIVE family(oid) AS (
  SELECT $1::oid UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits i JOIN family f ON i.inhparent = f.oid)`

/**
 * Who else feeds the table ($1): a logical subscription, whose stamps are the origin's (spec E20), or the server of a
 * foreign partition, whose writers are not listed here.
 */
export const FED_BY = `${FAMILY}
SELECT EXISTS (SELECT FROM pg_catalog.pg_subscription_rel JOIN family ON srrelid = oid) AS subscribed,
       EXISTS (SELECT FROM pg_catalog.pg_class c JOIN family USING (oid) WHERE c.relkind = 'f') AS foreign_part`

/**
 * The row triggers that can decide what an INSERT or UPDATE of the table ($1) stores, for each table below it that
 * holds rows, in the order of firing.
 */
export const STAMPING_TRIGGERS = `${FAMILY}
SELECT c.oid AS relation, c.relname AS relation_name, t.tgname AS name, t.tgenabled AS enabled, t.tgtype AS type,
       t.tgqual IS NULL AND t.tgattr = '' AS always_fires, p.prosrc AS source
FROM family JOIN pg_catalog.pg_class c USING (oid)
LEFT JOIN (pg_catalog.pg_trigger t JOIN pg_catalog.pg_proc p ON p.oid = t.tgfoid)
  ON t.tgrelid = c.oid AND t.tgenabled <> 'D' AND t.tgtype & 3 = 3 AND t.tgtype & 20 <> 0
WHERE c.relkind <> 'p' ORDER BY c.oid, t.tgname COLLATE "C"`

/** The sequences that number the column ($2) of the table ($1): identity, owned, or in the default. */
export const SEQUENCES = `
SELECT s.seqrelid AS oid, quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS name, s.seqincrement AS increment,
       s.seqcycle AS cycle, s.seqcache AS cache, has_sequence_privilege(s.seqrelid, 'SELECT') AS readable
FROM pg_catalog.pg_sequence s JOIN pg_catalog.pg_class c ON c.oid = s.seqrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = $1::oid AND a.attname = $2
WHERE EXISTS (SELECT FROM pg_catalog.pg_depend d
              WHERE d.classid = 'pg_class'::regclass AND d.objid = s.seqrelid AND d.refclassid = 'pg_class'::regclass
                AND d.refobjid = a.attrelid AND d.refobjsubid = a.attnum AND d.deptype IN ('a', 'i'))
   OR EXISTS (SELECT FROM pg_catalog.pg_attrdef v
              JOIN pg_catalog.pg_depend d ON d.classid = 'pg_attrdef'::regclass AND d.objid = v.oid
              WHERE v.adrelid = a.attrelid AND v.adnum = a.attnum
                AND d.refclassid = 'pg_class'::regclass AND d.refobjid = s.seqrelid)`

/** N1 (spec E35): the counter, read before the lists. `name` is quoted. */
export const counterOf = (name: string): string =>
  `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS counter FROM ${name}`

/**
 * The wall time that no later instant undercuts (spec E6): in an hour that will be repeated it stands at the hour's
 * first wall time until the repetition begins. `instant` and `zone` are SQL expressions.
 */
export const wallTime = (instant: string, zone: string): string => `
least(${instant} AT TIME ZONE ${zone}, (
  SELECT min(x AT TIME ZONE ${zone})
  FROM generate_series(date_trunc('minute', ${instant}) + interval '1 minute', ${instant} + interval '4 hours',
                       interval '1 minute') x))`

/** µs of an expression, floored to the grain ($2, µs; spec E5). */
const floored = (expression: string): string => `
SELECT f.us - mod(mod(f.us, $2::bigint) + $2::bigint, $2::bigint) AS bound FROM (SELECT ${us(expression)} AS us) f`

/** The bound of an instant ($1) in a `timestamptz` column. */
export const INSTANT_BOUND = floored('$1::timestamptz')

/** The bound of an instant ($1) in a `timestamp` or `date` column that is read in a zone ($3). */
export const WALL_BOUND = floored(wallTime('$1::timestamptz', '$3::text'))
