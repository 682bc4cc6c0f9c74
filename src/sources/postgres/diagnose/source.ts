import {
  type ClockFigures,
  type Looked,
  looked,
  type ReplicaFigures,
  type SessionFigures,
  type SourceDiagnosis,
  type SourceDiagnosisRequest,
  type TableAccess,
} from '../../diagnosis.ts'
import type { Pool } from '../connect/pool.ts'
import { lookAtAccess } from './access.ts'
import { type Bench, benchOn } from './bench.ts'
import { us } from './moment.ts'

/** What holds for every table of a server: its clock, who hides, the replica, the log it keeps (spec A44, A45). */
export async function diagnoseSource(
  primary: Pool,
  replica: Pool | undefined,
  request: SourceDiagnosisRequest,
): Promise<SourceDiagnosis> {
  const bench = benchOn(primary, request)
  const look = <Figure>(work: () => Promise<Figure>) => looked(request.queryMaxMs, work)
  const rows = benchOn(replica ?? primary, request)
  const access: Looked<TableAccess>[] = []
  for (const table of request.tables) access.push(await look(() => lookAtAccess(rows, table)))
  return {
    access,
    clock: await look(() => lookAtClock(primary, request)),
    sessions: await look(() => lookAtSessions(bench)),
    replica: await look(() =>
      replica ? lookAtReplica(bench, benchOn(replica, request), request) : lookAtStandby(bench, request),
    ),
    archive: await look(() => lookAtArchive(bench)),
  }
}

const ROUND_TRIPS = 5

async function lookAtClock(primary: Pool, { nowMs }: SourceDiagnosisRequest): Promise<ClockFigures> {
  let best: { offsetUs: bigint; errorUs: bigint } | undefined
  let [last, steppedBackUs] = [0n, 0n]
  for (let i = 0; i < ROUND_TRIPS; i++) {
    const before = nowMs()
    const [row] = await primary.ask(`SELECT ${us('clock_timestamp()')} AS now`)
    const after = nowMs()
    const now = BigInt(row!.now!)
    const [middleUs, errorUs] = [toUs((before + after) / 2), toUs((after - before) / 2)]
    if (!best || errorUs < best.errorUs) best = { offsetUs: now - middleUs, errorUs }
    if (last - now > steppedBackUs) steppedBackUs = last - now
    last = now
  }
  return { ...best!, steppedBackUs, nowUs: last }
}

const toUs = (ms: number): bigint => BigInt(Math.round(ms * 1000))

const SESSIONS = `
SELECT pg_is_in_recovery() AS standby, current_user AS role, pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') AS sees_all,
       count(*) FILTER (WHERE a.pid IS NOT NULL AND a.backend_type IS NULL) AS hidden,
       count(*) FILTER (WHERE a.state = 'disabled') AS untracked,
       coalesce(json_agg(DISTINCT a.usename) FILTER (WHERE a.state = 'disabled'), '[]')::text AS untracked_roles
FROM (SELECT) one LEFT JOIN pg_stat_activity a ON a.pid <> pg_backend_pid()
 AND a.datid = (SELECT oid FROM pg_database WHERE datname = current_database())`

/** A standby lists its own sessions only, which tell nothing of writers (spec E25). */
async function lookAtSessions({ ask }: Bench): Promise<SessionFigures | undefined> {
  const [row] = await ask(SESSIONS)
  if (row!.standby === 't') return undefined
  return {
    role: row!.role!,
    seesAll: row!.sees_all === 't',
    hidden: Number(row!.hidden),
    untracked: Number(row!.untracked),
    untrackedRoles: JSON.parse(row!.untracked_roles ?? '[]'),
  }
}

type Distance = () => Promise<number>

async function lookAtReplica(
  primary: Bench,
  replica: Bench,
  request: SourceDiagnosisRequest,
): Promise<ReplicaFigures> {
  const behind: Distance = async () => {
    const [here] = await primary.ask('SELECT pg_current_wal_insert_lsn() AS lsn')
    const [there] = await replica.ask(
      'SELECT pg_wal_lsn_diff($1::pg_lsn, coalesce(pg_last_wal_replay_lsn(), pg_current_wal_insert_lsn())) AS n',
      [here!.lsn!],
    )
    return Number(there!.n)
  }
  return { kind: 'linked', ...(await watch(behind, request)), ...(await conflicts(replica)) }
}

/** The source itself: a primary, or a standby whose primary is not known here (lie L9). */
async function lookAtStandby(bench: Bench, request: SourceDiagnosisRequest): Promise<ReplicaFigures> {
  const [row] = await bench.ask('SELECT pg_is_in_recovery() AS standby')
  if (row!.standby !== 't') {
    return {
      kind: 'none',
      behindBytes: 0,
      growthBytes: 0,
      conflictDelayMs: undefined,
      feedback: false,
      cancelledCount: 0,
    }
  }
  const behind: Distance = async () => {
    const [log] = await bench.ask(
      'SELECT greatest(coalesce(pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()), 0), 0) AS n',
    )
    return Number(log!.n)
  }
  return { kind: 'unlinked', ...(await watch(behind, request)), ...(await conflicts(bench)) }
}

async function watch(
  behind: Distance,
  { watchMs, sleep }: SourceDiagnosisRequest,
): Promise<Pick<ReplicaFigures, 'behindBytes' | 'growthBytes'>> {
  const before = await behind()
  await sleep(watchMs)
  const behindBytes = await behind()
  return { behindBytes, growthBytes: behindBytes - before }
}

async function conflicts({
  ask,
}: Bench): Promise<Pick<ReplicaFigures, 'conflictDelayMs' | 'feedback' | 'cancelledCount'>> {
  const [row] = await ask(
    `SELECT (SELECT setting FROM pg_settings WHERE name = 'max_standby_streaming_delay') AS delay,
       current_setting('hot_standby_feedback') AS feedback,
       (SELECT conflicts FROM pg_stat_database WHERE datname = current_database()) AS cancelled`,
  )
  const delay = Number(row!.delay)
  return {
    conflictDelayMs: delay < 0 ? undefined : delay,
    feedback: row!.feedback === 'on',
    cancelledCount: Number(row!.cancelled ?? '0'),
  }
}

async function lookAtArchive({ ask }: Bench): Promise<{ readonly mode: string } | undefined> {
  const [row] = await ask(`SELECT current_setting('archive_mode') AS mode`)
  return row!.mode === 'off' ? undefined : { mode: row!.mode! }
}
