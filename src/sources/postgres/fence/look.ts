import { PlimsollError } from '../../../kernel/errors.ts'
import type { LogPosition } from '../../../kernel/fence.ts'
import {
  arrayLiteral,
  bigintOf,
  type ControlConnection,
  type FencerOptions,
  isTrue,
  textOf,
} from './control.ts'
import type { FenceMemory, Home } from './memory.ts'
import { CLOCK, HARMLESS_ROLES, LOG_POSITION, PREPARED } from './queries.ts'

/** What every look has; the rest is what the method lists. */
export interface Look {
  readonly t0: bigint
  /** By our monotonic clock, when the look began. */
  readonly begunMs: number
  readonly home: Home
  readonly logPosition: LogPosition
  readonly prepared: readonly PreparedTransaction[]
}

export interface PreparedTransaction {
  /** Stable until it is committed or rolled back. */
  readonly key: string
  readonly gid: string
  readonly owner: string | undefined
  /** When PREPARE was given: later than its stamps. */
  readonly preparedUs: bigint
}

/** The beginning of a look: the clock, before anything else. */
export interface Beginning {
  readonly t0: bigint
  readonly begunMs: number
  readonly standby: boolean
}

const us = (ms: number): bigint => BigInt(Math.round(ms * 1000))

export async function readClock(
  connection: ControlConnection,
): Promise<Beginning & { readonly endedMs: number }> {
  const begunMs = performance.now()
  const [row] = await connection.rows(CLOCK)
  const endedMs = performance.now()
  return { t0: bigintOf(row!, 't0'), begunMs, endedMs, standby: isTrue(row!.standby) }
}

/** Reads the clock and compares it with ours (spec E23). `steppedUs`: all that it has stepped back, ever. */
export async function watchClock(
  connection: ControlConnection,
  { context }: FencerOptions,
  memory: FenceMemory,
  guardUs: bigint,
): Promise<Beginning & { readonly steppedUs: bigint }> {
  const { endedMs, ...beginning } = await readClock(connection)
  const monotonic = { beforeUs: us(beginning.begunMs), afterUs: us(endedMs) }
  const steppedUs = memory.readClock({ t0: beginning.t0, monotonic }, guardUs)
  await context.reach('fence.clock_read')
  return { ...beginning, steppedUs }
}

/** A standby lists its own sessions only and looks idle (spec E25c). */
export function refuseStandby({ standby }: Beginning): void {
  if (!standby) return
  throw new PlimsollError(
    'FENCE_ON_STANDBY',
    'the fence was asked of a standby, which does not see the writers',
    {
      hint: 'Let `url` name the primary and `replicaUrl` the standby; without a way to the primary: fence: { method: settle }.',
    },
  )
}

/** The end of a look: what is prepared, then the log position. In this order (spec E9, E26). */
export async function endLook(
  connection: ControlConnection,
): Promise<Pick<Look, 'home' | 'logPosition' | 'prepared'>> {
  const prepared = await connection.rows(PREPARED)
  const [log] = await connection.rows(LOG_POSITION)
  const timeline = log!.timeline as string
  return {
    prepared: prepared.map((row) => ({
      key: `prepared:${row.xid}/${row.gid}`,
      gid: row.gid as string,
      owner: textOf(row, 'owner'),
      preparedUs: bigintOf(row, 'prepared'),
    })),
    home: { systemId: connection.systemId ?? '', database: log!.database as string, timeline },
    logPosition: { timeline, text: log!.lsn as string },
  }
}

/** How long a role that can write is not asked about again; one that cannot is asked about at every look. */
const WRITER_KNOWN_MS = 60_000

/** The roles whose sessions nobody need wait for (spec E34), as an array parameter. */
export type RoleJudge = (connection: ControlConnection) => Promise<string>

export function createRoleJudge(): RoleJudge {
  const writers = new Map<string, number>()
  return async (connection) => {
    const now = performance.now()
    for (const [role, untilMs] of writers) if (untilMs < now) writers.delete(role)
    const rows = await connection.rows(HARMLESS_ROLES, [arrayLiteral(writers.keys())])
    const harmless = rows.filter((row) => isTrue(row.harmless)).map(({ role }) => role as string)
    for (const row of rows) if (!isTrue(row.harmless)) writers.set(row.role as string, now + WRITER_KNOWN_MS)
    return arrayLiteral(harmless)
  }
}
