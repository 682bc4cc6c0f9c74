import type { Catalog } from '../../catalog/catalog.ts'
import type { StreamSettings } from '../../extract/settings.ts'
import { formatTimestampUs } from '../../kernel/calendar.ts'
import { leastProof, type ProofLevel } from '../../kernel/proof.ts'
import { type DestinationSide, type KnownClaim, knownClaim } from './known-claim.ts'
import { whatIsMissing } from './what-is-missing.ts'
import { whoHolds } from './who-holds.ts'

export interface CompleteQuestion {
  readonly throughUs: bigint
  readonly require: ProofLevel
}

/** What one stream answers; it holds when nothing fails. */
export interface StreamAnswer {
  readonly stream: string
  readonly completeThroughUs: bigint | undefined
  readonly proof: ProofLevel | undefined
  readonly claim: KnownClaim | undefined
  readonly failures: readonly string[]
  /** Who holds the claim back; undefined when the watermark has passed the moment asked for. */
  readonly heldBy: string | undefined
}

/** The claim over several streams: their minimum, and who holds it back (spec A54). */
export interface CompleteAnswer {
  readonly holds: boolean
  readonly completeThroughUs: bigint | undefined
  /** The stream with the least value, and why it is not further. */
  readonly heldBy: { readonly stream: string; readonly cause: string } | undefined
  readonly streams: readonly StreamAnswer[]
}

/**
 * Whether every stream is complete through the moment: its watermark has passed, no row is known to be missing below, no
 * hole, no open decree, and the proof is enough. A stream without claim is never complete.
 */
export async function askComplete(
  catalog: Catalog,
  streams: readonly Pick<StreamSettings, 'stream' | 'catalogKey'>[],
  there: DestinationSide | undefined,
  question: CompleteQuestion,
): Promise<CompleteAnswer> {
  const answers: StreamAnswer[] = []
  for (const settings of streams) {
    const claim = await knownClaim(catalog, settings, there)
    answers.push(await askStream(catalog, settings, claim, question))
  }
  const [least] = [...answers].sort(byValue)
  const cause = least && (least.heldBy ?? least.failures[0])
  return {
    holds: answers.length > 0 && answers.every(({ failures }) => failures.length === 0),
    completeThroughUs: least?.completeThroughUs,
    heldBy: least && cause !== undefined ? { stream: least.stream, cause } : undefined,
    streams: answers,
  }
}

async function askStream(
  catalog: Catalog,
  { stream, catalogKey }: Pick<StreamSettings, 'stream' | 'catalogKey'>,
  claim: KnownClaim | undefined,
  { throughUs, require }: CompleteQuestion,
): Promise<StreamAnswer> {
  const failures: string[] = []
  const us = claim?.completeThroughUs
  if (!claim?.watermark) failures.push('never claimed')
  else if (us === undefined) failures.push('its watermark stands for no instant that is known yet')
  else if (us < throughUs) failures.push(`complete through ${formatTimestampUs(us, 'Z')} only`)
  const isShort = failures.length > 0
  if (claim?.watermark) {
    failures.push(...(await whatIsMissing(catalog, catalogKey, claim, throughUs)))
    if (leastProof(claim.proof, require) !== require)
      failures.push(`its claim is ${claim.proof}, not ${require}`)
  }
  const heldBy = isShort ? await whoHolds(catalog, catalogKey, claim) : undefined
  return { stream, completeThroughUs: us, proof: claim?.proof, claim, failures, heldBy }
}

/** The least first; an unknown instant is less than every other, and of two equal ones the one that fails. */
function byValue(a: StreamAnswer, b: StreamAnswer): number {
  const [x, y] = [a.completeThroughUs, b.completeThroughUs]
  if (x === y) return b.failures.length - a.failures.length
  if (x === undefined || y === undefined) return x === undefined ? -1 : 1
  return x < y ? -1 : 1
}
