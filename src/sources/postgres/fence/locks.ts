import { type LockView, observeLocks } from '../../../kernel/sampling/lock-view.ts'
import { arrayLiteral, bigintOf, type FencerOptions, type Row, textOf } from './control.ts'
import { endLook, type Look, type RoleJudge, refuseStandby, watchClock } from './look.ts'
import { type FenceMemory, type Remembered, sequenceView } from './memory.ts'
import { counterOf, LOCKS } from './queries.ts'

/** A transaction that holds the lock on its virtual id. */
export interface LockHolder {
  readonly key: string
  readonly pid: number
  readonly user: string | undefined
  readonly application: string | undefined
  readonly client: string | undefined
  readonly state: string | undefined
  readonly queryStart: string | undefined
}

/** One look of P2, with the counters of N1. */
export interface LocksLook extends Look {
  readonly method: 'P2'
  readonly view: LockView
  /** By oid of the sequence. */
  readonly counters: ReadonlyMap<string, LockView>
  readonly holders: readonly LockHolder[]
}

/**
 * The look of P2 and N1: clock, counters, locks, prepared transactions, log position (spec E27, E35). `sequences` are
 * quoted names by oid.
 */
export async function lookAtLocks(
  options: FencerOptions,
  memory: FenceMemory,
  harmlessRoles: RoleJudge,
  sequences: ReadonlyMap<string, string>,
  guardUs: bigint,
): Promise<LocksLook> {
  const connection = await options.control()
  const harmless = await harmlessRoles(connection)
  const beginning = await watchClock(connection, options, memory, guardUs)
  refuseStandby(beginning)
  const { t0, begunMs, steppedUs } = beginning
  const clocks = new Map<string, bigint>()
  for (const [oid, name] of sequences) {
    const [row] = await connection.rows(counterOf(name))
    clocks.set(oid, bigintOf(row!, 'counter'))
  }
  const rows = await connection.rows(LOCKS, [arrayLiteral(options.ownPids()), harmless])
  const end = await endLook(connection)
  await options.context.reach('fence.listed')

  const holders = rows.map(holderOf)
  const lists = { open: holders.map(({ key }) => key), prepared: end.prepared.map(({ key }) => key) }
  const observe = (name: string, clock: bigint, total: bigint): Remembered<LockView> => {
    const previous = memory.recall<LockView>(end.home, name)
    const steppedBack = total - (previous?.steppedUs ?? total)
    return { view: observeLocks(previous?.view, { clock, ...lists, steppedBack }), steppedUs: total }
  }
  const time = observe('P2', t0, steppedUs)
  const counters = new Map([...clocks].map(([oid, clock]) => [oid, observe(sequenceView(oid), clock, 0n)]))
  const named = [...counters].map(([oid, one]): [string, Remembered<LockView>] => [sequenceView(oid), one])
  await memory.keep(end.home, new Map([['P2', time], ...named]))
  return {
    method: 'P2',
    t0,
    begunMs,
    ...end,
    view: time.view,
    counters: new Map([...counters].map(([oid, { view }]) => [oid, view])),
    holders,
  }
}

function holderOf(row: Row): LockHolder {
  return {
    key: `virtual:${row.virtual_id}/${row.pid}`,
    pid: Number(row.pid),
    user: textOf(row, 'user'),
    application: textOf(row, 'application'),
    client: textOf(row, 'client'),
    state: textOf(row, 'state'),
    queryStart: textOf(row, 'query_start'),
  }
}
