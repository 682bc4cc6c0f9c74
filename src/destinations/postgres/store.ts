import { randomUUID } from 'node:crypto'
import { PlimsollError } from '../../kernel/errors.ts'
import { quoteIdentifier } from '../../kernel/sql-text.ts'
import { watermarkTableSql } from '../watermark-row.ts'
import type { ServerError } from './errors.ts'
import { SEQ_SETTING } from './seq-column.ts'
import type { Session, Sessions } from './sessions.ts'

export const CLAIM_TABLE = 'plimsoll.plimsoll_claim'
export const WATERMARK_TABLE = 'plimsoll.plimsoll_watermarks'
const STORE_TABLE = 'plimsoll.plimsoll_store'
/** Serialises the first creation of schemas and tables; a number of our own. */
const SETUP_LOCK = 7_746_676_512_013

const CREATE_STORE = `
CREATE TABLE IF NOT EXISTS ${STORE_TABLE} (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  id uuid NOT NULL
);
CREATE TABLE IF NOT EXISTS ${CLAIM_TABLE} (
  stream text COLLATE "C" PRIMARY KEY,
  epoch bigint NOT NULL,
  generation bigint NOT NULL,
  position_kind text,
  watermark text,
  proof text NOT NULL,
  read_seq bigint NOT NULL,
  gap_seq bigint NOT NULL DEFAULT -1,
  batch text,
  receipt text,
  tail_keys text NOT NULL,
  facts text NOT NULL,
  written_at timestamptz NOT NULL DEFAULT now()
);
${watermarkTableSql(WATERMARK_TABLE)};
CREATE OR REPLACE FUNCTION plimsoll.read_seq() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT nullif(current_setting('${SEQ_SETTING}', true), '')::bigint $$;
COMMENT ON FUNCTION plimsoll.read_seq() IS 'Plimsoll: the default of _plimsoll_seq. Constant within one COPY.';
COMMENT ON TABLE ${CLAIM_TABLE} IS 'Plimsoll: how far each stream is complete. Written with the rows; do not edit.';
COMMENT ON TABLE ${WATERMARK_TABLE} IS 'Plimsoll: complete through when, for everybody who has SQL. Written with the rows.';
COMMENT ON COLUMN ${CLAIM_TABLE}.gap_seq IS 'The readSeq that arrived while a smaller one was outstanding.'`

/** Whether the claim table is there, without creating anything. */
export async function storeExists(session: Session): Promise<boolean> {
  const { rows } = await session.query(
    `SELECT to_regclass('${CLAIM_TABLE}') IS NOT NULL AND to_regclass('${STORE_TABLE}') IS NOT NULL AS there`,
  )
  return rows[0].there
}

/** Whether the table of watermarks is there too, which came later. */
export async function watermarksExist(session: Session): Promise<boolean> {
  const { rows } = await session.query(`SELECT to_regclass('${WATERMARK_TABLE}') IS NOT NULL AS there`)
  return rows[0].there
}

/** Creates schema and tables for claims, watermarks and identity, unless they are there. */
export async function ensureStore(sessions: Sessions): Promise<void> {
  if (await sessions.use(async (session) => (await storeExists(session)) && (await watermarksExist(session))))
    return
  await sessions.transaction(async (session) => {
    await lockSetup(session)
    await createSchema(session, 'plimsoll')
    await session.query(CREATE_STORE)
    await showInPublic(session)
    await session.query(`INSERT INTO ${STORE_TABLE} (id) VALUES ($1) ON CONFLICT DO NOTHING`, [randomUUID()])
  })
}

/** So that `SELECT … FROM plimsoll_watermarks` finds it without a schema, where this role may create a view there. */
async function showInPublic(session: Session): Promise<void> {
  const { rows } = await session.query(
    `SELECT to_regclass('public.plimsoll_watermarks') IS NULL AND EXISTS (SELECT FROM pg_namespace
       WHERE nspname = 'public' AND has_schema_privilege(oid, 'CREATE')) AS free`,
  )
  if (rows[0].free)
    await session.query(`CREATE VIEW public.plimsoll_watermarks AS SELECT * FROM ${WATERMARK_TABLE}`)
}

/** CREATE SCHEMA where it is missing; several processes may do so at once. Names the GRANT when it may not. */
export async function createSchema(session: Session, schema: string): Promise<void> {
  const exists = async () =>
    (await session.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema])).rowCount === 1
  if (await exists()) return
  await lockSetup(session)
  if (await exists()) return
  try {
    await session.query(`CREATE SCHEMA ${quoteIdentifier(schema)}`)
  } catch (error) {
    if ((error as ServerError).code !== '42501') throw error
    throw new PlimsollError('DESTINATION_AUTH_FAILED', `may not create the schema "${schema}"`, {
      hint:
        'An owner of the database runs GRANT CREATE ON DATABASE <database> TO <role>, or ' +
        `CREATE SCHEMA ${quoteIdentifier(schema)} AUTHORIZATION <role>.`,
      cause: error,
    })
  }
}

async function lockSetup(session: Session): Promise<void> {
  await session.query('SELECT pg_advisory_xact_lock($1)', [SETUP_LOCK])
}

/**
 * The identity row, which a backup carries along, and the system and database it lies in now: a copy of the database
 * beside the original shows as another store.
 */
export async function readIdentity(
  session: Session,
): Promise<{ id: string; engine: string; version: string }> {
  const { rows } = await session.query(
    `SELECT s.id || '/' || c.system_identifier || '/' || d.oid AS id, current_setting('server_version') AS version
     FROM ${STORE_TABLE} s, pg_control_system() c, pg_database d WHERE d.datname = current_database()`,
  )
  return { id: rows[0].id, engine: 'postgres', version: rows[0].version }
}
