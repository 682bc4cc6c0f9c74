import type { Witness } from '../../../kernel/fence.ts'
import type { Blocker } from '../../../kernel/sampling/holding.ts'
import type { PreparedTransaction } from './look.ts'

/** A blocker with what a person should know of it. */
export interface Candidate extends Blocker {
  readonly witness: Witness
  readonly gid?: string
}

interface Person {
  readonly key: string
  readonly pid: number | undefined
  readonly user: string | undefined
  readonly application: string | undefined
  readonly client: string | undefined
  readonly state: string | undefined
  readonly queryStart: string | undefined
}

/** Absent where unknown; an empty application name is none. */
export function witnessOf(person: Person, bound: bigint | undefined, ageUs: bigint | undefined): Witness {
  const { key, pid, user, application, client, state, queryStart } = person
  return {
    key,
    ...(pid === undefined ? {} : { pid }),
    ...(bound === undefined ? {} : { bound: String(bound) }),
    ...(user ? { user } : {}),
    ...(application ? { application } : {}),
    ...(client ? { client } : {}),
    ...(state ? { state } : {}),
    ...(queryStart ? { queryStart } : {}),
    ...(ageUs === undefined ? {} : { transactionAgeUs: String(ageUs) }),
  }
}

/** A prepared transaction; its age counts from PREPARE, for its beginning is not known. */
export function preparedWitness(
  { key, owner, preparedUs }: PreparedTransaction,
  bound: bigint | undefined,
  t0: bigint,
): Witness {
  return {
    key,
    ...(bound === undefined ? {} : { bound: String(bound) }),
    ...(owner ? { user: owner } : {}),
    state: 'prepared',
    transactionAgeUs: String(t0 - preparedUs),
  }
}

/** Who holds the fence, in words (spec E37): never what it is executing. */
export function describeHolder({ witness, gid, bound }: Candidate): string {
  const { pid, user, application, client, state, transactionAgeUs } = witness
  const about = [
    user && `user ${user}`,
    application && `application ${application}`,
    client && `client ${client}`,
  ].filter(Boolean)
  const name = gid === undefined ? (pid ? `pid ${pid}` : witness.key) : `prepared transaction '${gid}'`
  const who = about.length ? `${name} (${about.join(', ')})` : name
  const since = transactionAgeUs === undefined ? '' : ` for ${durationText(BigInt(transactionAgeUs))}`
  const what =
    gid === undefined ? `${who}: ${state ?? 'transaction open'}${since}` : `${who}: waiting${since}`
  if (bound !== undefined) return what
  return `${what}; it was there before the first look, so nothing bounds it until it ends`
}

/** `7 h 3 min`, `6 min 3 s`, `0.4 s`. */
export function durationText(us: bigint): string {
  const seconds = us / 1_000_000n
  if (seconds < 10n) return `${(Number(us) / 1e6).toFixed(1)} s`
  if (seconds < 60n) return `${seconds} s`
  if (seconds < 3600n) return `${seconds / 60n} min ${seconds % 60n} s`
  return `${seconds / 3600n} h ${(seconds / 60n) % 60n} min`
}
