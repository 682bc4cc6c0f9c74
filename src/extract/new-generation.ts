import type { StoredClaim } from '../destinations/destination.ts'
import type { LedgerEntry } from '../kernel/ledger.ts'
import { comparePositions, type Position } from '../kernel/position.ts'
import { isEmptyRange, type Range } from '../kernel/range.ts'
import { factsOfClaim } from './completeness.ts'
import type { Engine } from './engine.ts'
import { type ClaimFacts, orderFromJson, readFacts, writeFacts } from './facts.ts'
import { holesOfClaim } from './holes.ts'
import type { StreamMemory } from './progress-state.ts'
import type { StreamSettings } from './settings.ts'

/** Claim and memory as a run begins with them. */
export interface SettledClaim {
  readonly claim: StoredClaim | undefined
  readonly memory: StreamMemory | undefined
  /** What was taken over from the claim, because no record tells of it. */
  readonly adopted?: Range | undefined
  /** No catalog remembers the source's clock: what the claim says of it is all there is (spec E23). */
  readonly clockForgotten?: boolean
  /** The generation that begins with this run, when one does. */
  readonly opened?: {
    readonly generation: number
    readonly parent: number
    readonly cause: ClaimFacts['cause']
  }
}

/** What the claim vouches for from `lower` on stands in the ledger too: it covers all below the watermark (spec E14). */
export async function adoptIntoLedger(
  engine: Engine,
  settings: StreamSettings,
  claim: StoredClaim,
  lower: Position | undefined,
  runId: string,
): Promise<LedgerEntry | undefined> {
  const range = claim.watermark && { lower, upper: claim.watermark }
  if (!range || isEmptyRange(range)) return undefined
  const entry: LedgerEntry = {
    stream: settings.catalogKey,
    generation: claim.generation,
    runId,
    kind: 'run',
    state: 'landed',
    range,
    proof: claim.proof,
    batchId: claim.batch ?? '',
    readSeq: claim.readSeq,
    reason: 'adopted from the claim beside the data',
  }
  await engine.catalog.addRange(entry)
  for (const hole of holesOfClaim(claim)) {
    if (lower && comparePositions(hole.upper, lower) <= 0) continue
    await engine.catalog.addRange({ ...entry, state: 'hole', range: hole, proof: 'assumed', batchId: '' })
  }
  return entry
}

/**
 * Writes the claim of a new generation, with cause and parent in the facts (spec E71); `expected` stands there now. Only
 * a person's rewind takes another server or schema with it.
 */
export async function newGeneration(
  engine: Engine,
  claim: StoredClaim,
  generation: number,
  cause: ClaimFacts['cause'],
  expected: StoredClaim = claim,
): Promise<StoredClaim> {
  const before = readFacts(claim.facts)
  const facts: ClaimFacts = {
    ...factsOfClaim(before, orderFromJson(before.order), claim.watermark, before.debts ?? []),
    cause,
    parent: claim.generation,
    acceptPresent: cause === 'rewind',
  }
  const next: StoredClaim = { ...claim, generation, facts: writeFacts(facts), tailKeys: [] }
  await engine.destination.writeClaim(next, expected)
  await engine.reach('generation.opened')
  return next
}
