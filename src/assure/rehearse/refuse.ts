import type { Catalog } from '../../catalog/catalog.ts'
import type { StoredClaim } from '../../destinations/destination.ts'
import { readFacts } from '../../extract/facts.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import type { RehearsalMark } from '../../sources/load.ts'
import type { ServerIdentity, TableRef } from '../../sources/source.ts'

/** The stand-in tables of all rehearsals lie in this schema, at the source and at the destination. */
export const LOAD_SCHEMA = 'plimsoll_load'
export const MARK_DAYS = 30
const MARK_MAX_US = BigInt(MARK_DAYS) * 86_400_000_000n
const PAGE = 1_000

/** Everything that decides whether a database may be loaded (assurance A49). */
export interface RefusalFacts {
  /** `source.rehearsal` of the configuration. */
  readonly flagged: boolean
  readonly identity: ServerIdentity
  readonly marks: readonly RehearsalMark[]
  readonly known: readonly KnownSource[]
  readonly destination: DestinationFacts
}

export interface DestinationFacts {
  /** Undefined where it cannot say. */
  readonly tables: readonly TableRef[] | undefined
  readonly claims: readonly StoredClaim[]
  /** Its own marker, where its kind has one. */
  readonly marked?: { readonly identity: ServerIdentity; readonly marks: readonly RehearsalMark[] }
}

/** A source that this catalog has a record of, made by a pipeline that was not flagged. */
export interface KnownSource {
  readonly id: string
  readonly timeline: string
  readonly database: string
  readonly stream: string
}

/** Throws REHEARSAL_REFUSED with everything that speaks against it. No flag overrides any of it (assurance A49). */
export function refuseUnlessMarked(facts: RefusalFacts): void {
  const reasons = [
    flagRefusal(facts.flagged),
    identityRefusal(facts.identity),
    markRefusal(facts.marks, facts.identity),
    knownRefusal(facts.known, facts.identity),
    destinationRefusal(facts.destination, facts.identity),
  ].filter((reason) => reason !== undefined)
  if (reasons.length > 0) throw refused(facts.identity.database, reasons)
}

/** Marking is refused as a rehearsal is, but for the mark itself and the destination. */
export function refuseMarking(facts: Pick<RefusalFacts, 'flagged' | 'identity' | 'known'>): void {
  const reasons = [
    flagRefusal(facts.flagged),
    identityRefusal(facts.identity),
    knownRefusal(facts.known, facts.identity),
  ].filter((reason) => reason !== undefined)
  if (reasons.length > 0) throw refused(facts.identity.database, reasons)
}

export function refused(database: string, reasons: readonly string[]): PlimsollError {
  return new PlimsollError('REHEARSAL_REFUSED', `${database} is not loaded: ${reasons.join('; ')}`, {
    hint: 'A rehearsal is for a staging copy: source: { rehearsal: true }, then plimsoll rehearse --mark DATABASE, and a destination where nothing else stands. No option overrides this.',
    context: { reasons },
  })
}

export function flagRefusal(flagged: boolean): string | undefined {
  return flagged ? undefined : 'the configuration does not say rehearsal: true of its source'
}

/** Where the server does not say who it is, a clone could answer under its address. */
function identityRefusal({ id }: ServerIdentity): string | undefined {
  return id.startsWith('address:')
    ? 'the server does not say its system identifier (grant EXECUTE on pg_control_system())'
    : undefined
}

export function markRefusal(
  marks: readonly RehearsalMark[],
  { id, timeline, database }: ServerIdentity,
): string | undefined {
  const [mark, another] = marks
  if (!mark) return 'its table plimsoll_rehearsal is missing or empty'
  if (another) return 'its table plimsoll_rehearsal has more than one row'
  if (mark.database !== database) return `its mark names the database ${mark.database}`
  if (mark.identity !== id || mark.timeline !== timeline) {
    return `its mark is of another server (${mark.identity}/${mark.timeline}, and this is ${id}/${timeline}): it was cloned or restored`
  }
  const [nowUs, expiresUs] = [BigInt(mark.nowUs), BigInt(mark.expiresUs)]
  if (expiresUs <= nowUs) return 'its mark has expired'
  return expiresUs - nowUs > MARK_MAX_US ? `its mark is for more than ${MARK_DAYS} days` : undefined
}

/** By server and timeline, whatever the database is called: a load there is a load on the whole server (E66). */
function knownRefusal(known: readonly KnownSource[], { id, timeline }: ServerIdentity): string | undefined {
  const found = known.find((each) => each.id === id && each.timeline === timeline)
  return (
    found &&
    `its server is the source of ${found.stream} (database ${found.database}), which has no rehearsal: true`
  )
}

/** Empty, marked, or nothing there but what earlier rehearsals of this server have landed. */
export function destinationRefusal(
  { tables, claims, marked }: DestinationFacts,
  identity: ServerIdentity,
): string | undefined {
  if (tables === undefined) return 'the destination cannot say what stands in it'
  if (tables.length === 0) return undefined
  if (marked && marked.marks.length > 0) {
    const reason = markRefusal(marked.marks, marked.identity)
    return reason && `the destination: ${reason}`
  }
  const foreign = tables.find(({ schema, name }) => !isOurs(schema, name))
  if (foreign) return `the destination is not empty: ${foreign.schema}.${foreign.name} stands in it`
  const other = claims.find(
    ({ stream, facts }) =>
      !stream.startsWith(`${LOAD_SCHEMA}.`) || readFacts(facts).source.id !== identity.id,
  )
  return other && `the destination holds ${other.stream}, which no rehearsal of this server has landed`
}

const isOurs = (schema: string, name: string): boolean =>
  schema === LOAD_SCHEMA || schema === 'plimsoll' || name.startsWith('plimsoll_')

/** Sources that the catalog's records name, but for those whose record says that they may be loaded. */
export async function knownSources(catalog: Catalog): Promise<readonly KnownSource[]> {
  const found = new Map<string, KnownSource>()
  for (const stream of await catalog.streams()) {
    for (let after = 0; ; ) {
      const records = await catalog.recordsAfter(stream, after, PAGE)
      for (const { json } of records) {
        const { source, rehearsal } = JSON.parse(json) as {
          source?: { id: string; timeline: string; database: string }
          rehearsal?: unknown
        }
        if (!source || String(rehearsal) === 'true') continue
        const { id, timeline, database } = source
        found.set(`${id}/${timeline}/${database}`, { id, timeline, database, stream })
      }
      if (records.length < PAGE) break
      after = records.at(-1)!.sequence
    }
  }
  return [...found.values()]
}
