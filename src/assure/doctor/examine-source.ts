import type { Catalog } from '../../catalog/catalog.ts'
import type { StoredClaim } from '../../destinations/destination.ts'
import type { EngineClock } from '../../extract/engine.ts'
import type { StreamSettings } from '../../extract/settings.ts'
import type { SourceDiagnosis } from '../../sources/diagnosis.ts'
import type { ServerIdentity, Source } from '../../sources/source.ts'
import { accept, type Check } from './check.ts'
import { type ExaminedTable, examineTable } from './examine-table.ts'
import { logRetention } from './facts/log-retention.ts'
import { sessionRights } from './facts/reading-rights.ts'
import { replicaState } from './facts/replica-state.ts'
import { sourceClock } from './facts/source-clock.ts'
import { whatIsKnown } from './known.ts'
import { fromThePast } from './lies/from-the-past.ts'
import { oldestBefore } from './stored-result.ts'

/** What is looked at, with what. */
export interface DoctorRequest {
  readonly source: Source
  /** As a person may see it: without a password. */
  readonly address: string
  /** Where the last result lies (`doctor:…`). */
  readonly scope: string
  readonly tables: readonly { readonly table: string; readonly settings: StreamSettings }[]
  /** The tables are those of a configuration. */
  readonly isConfigured: boolean
  /** Of every table of the source, also those that are not looked at now: what the source is asked for. */
  readonly everyTable: readonly StreamSettings[]
  readonly catalog: Catalog | undefined
  readonly claims: readonly StoredClaim[]
  readonly clock: EngineClock
  /** Called as soon as a table has been looked at. */
  readonly show: (table: ExaminedTable) => void
}

/** The source as a whole, and each table. */
export interface ExaminedSource {
  readonly address: string
  readonly identity: ServerIdentity
  readonly checks: readonly Check[]
  readonly tables: readonly ExaminedTable[]
}

/** How long a replica's delay is watched (spec A44). */
const WATCH_MS = 10_000
const DEFAULT_QUERY_MAX_MS = 10_000
const DEFAULT_LOCK_TIMEOUT_MS = 5_000

/** Looks at one source and its tables, one after another (spec A5, A41). Throws where the source does not answer at all. */
export async function examineSource(request: DoctorRequest): Promise<ExaminedSource> {
  const { source, tables, address, clock } = request
  const identity = await source.identity()
  const diagnosis = await diagnose(request)
  const sessions = diagnosis && 'found' in diagnosis.sessions ? diagnosis.sessions.found : undefined
  const examined: ExaminedTable[] = []
  for (const [i, { table, settings }] of tables.entries()) {
    const one = await examineTable({
      source,
      identity,
      settings,
      table,
      isConfigured: request.isConfigured,
      known: await whatIsKnown(source, request.catalog, settings, request.claims),
      oldestBefore: await oldestBefore(request, settings, table),
      access: diagnosis?.access[i] ?? NOT_TOLD,
      role: sessions?.role,
      address,
      nowUs: BigInt(Math.round(clock.nowMs() * 1000)),
    })
    request.show(one)
    examined.push(one)
  }
  const checks = diagnosis ? judgeSource(request, diagnosis, examined) : [untold]
  return { address, identity, checks, tables: examined }
}

const NOT_TOLD = { notLooked: 'this kind of source does not tell who may read it', hint: undefined }

const untold: Check = {
  name: 'position',
  severity: 'could_not_look',
  sentence: 'this kind of source tells nothing of itself',
  remedy: undefined,
  figures: {},
}

async function diagnose({
  source,
  tables,
  everyTable,
  clock,
}: DoctorRequest): Promise<SourceDiagnosis | undefined> {
  const limits = everyTable[0]?.limits
  return source.diagnose?.({
    tables: tables.map(({ settings }) => settings.table),
    queryMaxMs: limits?.doctorQueryMaxMs ?? DEFAULT_QUERY_MAX_MS,
    lockTimeoutMs: limits?.lockTimeoutMs ?? DEFAULT_LOCK_TIMEOUT_MS,
    nowMs: clock.nowMs,
    sleep: clock.sleep,
    watchMs: WATCH_MS,
  })
}

/** A check of the source is accepted where all of its tables accept it. */
function judgeSource(
  { everyTable, isConfigured }: DoctorRequest,
  diagnosis: SourceDiagnosis,
  examined: readonly ExaminedTable[],
): readonly Check[] {
  const methods = everyTable.map(({ fence }) => fence.method)
  const wantsProof = isConfigured && methods.some((method) => method !== 'settle' && method !== 'P3')
  const queryMaxMs = Math.max(0, ...everyTable.map(({ limits }) => limits.queryMaxMs))
  const checks = [
    fromThePast(diagnosis.replica, { wantsProof }),
    sessionRights(diagnosis.sessions, methods.includes('P1')),
    sourceClock(diagnosis.clock, steppedSince(diagnosis, examined)),
    replicaState(diagnosis.replica, WATCH_MS, queryMaxMs),
    logRetention(diagnosis.archive),
  ]
  const lists = everyTable.map((settings) => settings.accept ?? [])
  const [first = [], ...others] = lists
  return accept(
    checks,
    first.filter(({ check }) => others.every((list) => list.some((each) => each.check === check))),
  )
}

/** How far the source's clock is behind what a fence of ours has already seen of it (spec E23). */
function steppedSince({ clock }: SourceDiagnosis, examined: readonly ExaminedTable[]): bigint {
  if (!('found' in clock)) return 0n
  const { nowUs } = clock.found
  const behind = examined.flatMap(({ t0Us }) => (t0Us === undefined ? [] : [t0Us - nowUs]))
  return behind.reduce((most, us) => (us > most ? us : most), 0n)
}
