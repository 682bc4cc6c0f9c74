import { type Candidate, preparedWitness, witnessOf } from './candidate.ts'
import { bigintIfAny, bigintOf, type ControlConnection, type Row, textOf } from './control.ts'
import type { PreparedTransaction } from './look.ts'
import { RUNNING_XIDS, XID_HOLDERS } from './queries.ts'

/** What one snapshot says of the transactions that still run. */
export interface RunningXids {
  readonly xmin: bigint
  readonly xmax: bigint
  /** Above every id that was given by now: xmax is only above those that have ended. */
  readonly next: bigint
  /** Ascending. Empty on a standby whatever is running there (spec E28). */
  readonly running: readonly bigint[]
}

/**
 * P3 (spec E28). Everything below xmin has ended when this snapshot is taken. The reader opens its own snapshot later,
 * so to it all of that is visible or aborted, just as if the bound came from its own snapshot; what ends in between is
 * at or above the bound and waits for the next run. Taking the bound first therefore loses nothing, and lets one fence
 * serve any number of slices.
 */
export async function readRunningXids(connection: ControlConnection): Promise<RunningXids> {
  const [row] = await connection.rows(RUNNING_XIDS)
  const listOf = (name: string): bigint[] => textOf(row!, name)?.split(',').filter(Boolean).map(BigInt) ?? []
  const xmax = bigintOf(row!, 'xmax')
  return {
    xmin: bigintOf(row!, 'xmin'),
    xmax,
    next: listOf('held').reduce((next, xid) => nextAbove(next, xid), xmax),
    running: listOf('running').sort((a, b) => (a < b ? -1 : 1)),
  }
}

/** `held` has 32 bits only: it stands for the id of these bits that is nearest. */
function nextAbove(next: bigint, held: bigint): bigint {
  const distance = BigInt.asIntN(32, held - BigInt.asUintN(32, next))
  return distance < 0n ? next : next + distance + 1n
}

export const xidKey = (xid: bigint): string => `xid:${xid}`

/** The running transactions as candidates; `oldestSinceUs` for the oldest when it does not show when it began. */
export async function xidCandidates(
  connection: ControlConnection,
  { running }: RunningXids,
  prepared: readonly PreparedTransaction[],
  t0: bigint,
  oldestSinceUs: bigint,
): Promise<Candidate[]> {
  if (running.length === 0) return []
  const holders = new Map((await connection.rows(XID_HOLDERS)).map((row) => [row.xid as string, row]))
  return running.map((xid, i): Candidate => {
    const key = xidKey(xid)
    const shortXid = String(BigInt.asUintN(32, xid))
    const twoPhase = prepared.find((one) => one.key.startsWith(`prepared:${shortXid}/`))
    if (twoPhase) {
      const witness = { ...preparedWitness(twoPhase, xid, t0), key }
      return { key, bound: xid, sinceUs: twoPhase.preparedUs, witness, gid: twoPhase.gid }
    }
    const row = holders.get(shortXid)
    const startedUs = row && bigintIfAny(row, 'started')
    const sinceUs = startedUs ?? (i === 0 ? oldestSinceUs : t0)
    return { key, bound: xid, sinceUs, witness: witnessOf(personOf(key, row), xid, t0 - sinceUs) }
  })
}

function personOf(key: string, row: Row | undefined) {
  return {
    key,
    pid: row ? Number(row.pid) : undefined,
    user: row && textOf(row, 'user'),
    application: row && textOf(row, 'application'),
    client: row && textOf(row, 'client'),
    state: row && textOf(row, 'state'),
    queryStart: row && textOf(row, 'query_start'),
  }
}
