import { PlimsollError } from '../../../kernel/errors.ts'
import type { LogPosition } from '../../../kernel/fence.ts'
import type { ServerIdentity } from '../../source.ts'
import type { Connection } from '../connect/connection.ts'

/**
 * Where the server's log stands. The timeline of a primary comes from the WAL file's name, for the control file shows
 * the old one for a while after a promotion (spec E66); a standby asks the process that receives the log.
 */
const PRIMARY_LOG = `
SELECT pg_current_wal_insert_lsn() AS lsn, substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) AS timeline`
const STANDBY_LOG = `
SELECT pg_last_wal_replay_lsn() AS lsn,
       lpad(upper(to_hex(coalesce((SELECT received_tli FROM pg_stat_wal_receiver),
                                  (SELECT timeline_id FROM pg_control_checkpoint())))), 8, '0') AS timeline`

/** Who answers (spec E66). Where the system identifier may not be asked, address and database oid stand for it. */
export async function readIdentity(connection: Connection): Promise<ServerIdentity> {
  const [row] = await connection.rows(
    `SELECT current_database() AS database, d.oid, coalesce(host(inet_server_addr()), 'local') AS address,
            current_setting('port') AS port, pg_is_in_recovery() AS standby
     FROM pg_database d WHERE d.datname = current_database()`,
  )
  return {
    engine: 'postgres',
    version: connection.version,
    id: connection.systemId ?? `address:${row?.address}:${row?.port}/${row?.oid}`,
    database: row!.database!,
    ...(await readLog(connection, row?.standby === 't')),
  }
}

async function readLog(
  connection: Connection,
  standby: boolean,
): Promise<{ timeline: string; logPosition: LogPosition | undefined }> {
  const [log] = await connection.rows(standby ? STANDBY_LOG : PRIMARY_LOG)
  if (!log?.timeline) {
    throw new PlimsollError(
      'SOURCE_FAILED',
      `${connection.place}: the server does not say on which timeline it is`,
      {
        hint: 'Grant pg_monitor (or EXECUTE on pg_control_checkpoint) to the role.',
      },
    )
  }
  return {
    timeline: log.timeline,
    logPosition: log.lsn ? { timeline: log.timeline, text: log.lsn } : undefined,
  }
}
