import { observeSessions, type SessionView } from '../../../kernel/sampling/session-view.ts'
import { arrayLiteral, bigintIfAny, type FencerOptions, isTrue, type Row, textOf } from './control.ts'
import { endLook, type Look, type RoleJudge, refuseStandby, watchClock } from './look.ts'
import type { FenceMemory } from './memory.ts'
import { SESSIONS } from './queries.ts'

/** A session that is not idle and could write. */
export interface OpenSession {
  readonly key: string
  readonly pid: number
  readonly user: string | undefined
  readonly application: string | undefined
  readonly client: string | undefined
  readonly state: string | undefined
  /** Undefined when it does not show it, or has never begun anything. */
  readonly startedUs: bigint | undefined
  readonly queryStart: string | undefined
  /** Another user's, without the right to see it, or of a session with track_activities off (spec E25a, b). */
  readonly blind: 'hidden' | 'untracked' | undefined
}

/** One look of P1. */
export interface SessionsLook extends Look {
  readonly method: 'P1'
  readonly view: SessionView
  readonly sessions: readonly OpenSession[]
  /** Prepared transactions that no look before this one has seen. */
  readonly newlyPrepared: ReadonlySet<string>
}

/** P1's look: clock, sessions, prepared transactions, log position, each statement on its own (spec E24, E26). */
export async function lookAtSessions(
  options: FencerOptions,
  memory: FenceMemory,
  harmlessRoles: RoleJudge,
  guardUs: bigint,
): Promise<SessionsLook> {
  const connection = await options.control()
  const harmless = await harmlessRoles(connection)
  const beginning = await watchClock(connection, options, memory, guardUs)
  refuseStandby(beginning)
  const { t0, begunMs, steppedUs } = beginning
  const rows = await connection.rows(SESSIONS, [arrayLiteral(options.ownPids()), harmless])
  const end = await endLook(connection)
  await options.context.reach('fence.listed')

  const sessions = rows.map(sessionOf)
  const previous = memory.recall<SessionView>(end.home, 'P1')
  const starts = sessions.flatMap(({ startedUs }) => (startedUs === undefined ? [] : [startedUs]))
  const view = observeSessions(previous?.view, {
    t0,
    starts,
    prepared: end.prepared.map(({ key }) => key),
    steppedBackUs: steppedUs - (previous?.steppedUs ?? steppedUs),
  })
  // A look that could not see everybody must not bound what is prepared later.
  if (sessions.every(({ blind }) => !blind))
    await memory.keep(end.home, new Map([['P1', { view, steppedUs }]]))
  const newlyPrepared = new Set([...view.prepared.keys()].filter((key) => !previous?.view.prepared.has(key)))
  return { method: 'P1', t0, begunMs, ...end, view, sessions, newlyPrepared }
}

function sessionOf(row: Row): OpenSession {
  const startedUs = bigintIfAny(row, 'started')
  return {
    key: `session:${row.pid}/${row.backend_start ?? ''}/${startedUs ?? ''}`,
    pid: Number(row.pid),
    user: textOf(row, 'user'),
    application: textOf(row, 'application'),
    client: textOf(row, 'client'),
    state: textOf(row, 'state'),
    startedUs,
    queryStart: textOf(row, 'query_start'),
    blind: isTrue(row.hidden) ? 'hidden' : isTrue(row.untracked) ? 'untracked' : undefined,
  }
}
